/** The problems of lists of changes: QRY35x for parameters, SNP33x for tokens that cannot be used any more. */
import { Problem, QueryProblem } from '../../kernel/problem.ts'
import { type Place, quoted } from '../../query/problems.ts'
import type { ListName } from '../../schema/datasets.ts'

/** `since=yesterday` */
export const malformedToken = (input: string): QueryProblem =>
  new QueryProblem(
    'QRY351',
    { parameter: 'since', column: 0, input },
    `Expected the token of an earlier answer, 40 characters as in its header Changes-Token, found ${quoted(input)}; leave since out to read everything and to get a token`,
  )

/** `$filter` beside `since` */
export const notWithChanges = (at: Place, reason: string): QueryProblem =>
  new QueryProblem('QRY352', at, `${at.parameter} cannot be used with changes: ${reason}`)

const readAgain = (list: ListName): string =>
  `Read everything again with /api/v2/${list}/changes without since: its answer has a new token.`

/** What changed since then is not known any more, or never was. */
export const tokenTooOld = (list: ListName): Problem =>
  new Problem('SNP331', 'What changed since this token is not known any more', { hint: readAgain(list) })

export const foreignToken = (list: ListName): Problem =>
  new Problem('SNP332', `The token is not one of the ${list} of this client`, {
    hint: `Use the token of an answer with the same list and the same API key. ${readAgain(list)}`,
  })
