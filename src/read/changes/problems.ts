/** The problems of lists of changes: QRY35x for parameters, SNP33x for tokens and moments that cannot be used any more. */
import { Problem, QueryProblem } from '../../kernel/problem.ts'
import { type Place, quoted } from '../../query/problems.ts'
import type { ListName } from '../../schema/datasets.ts'

/** `since=yesterday` */
export const malformedToken = (input: string): QueryProblem =>
  new QueryProblem(
    'QRY351',
    { parameter: 'since', column: 0, input },
    `Expected the token of an earlier answer, 40 characters as in its header Changes-Token, or a moment such as 2026-11-20 or 2026-11-20T08:00:00Z, found ${quoted(input)}; leave since out to read everything and to get a token`,
  )

/** `since=2026-02-30` */
export const malformedMoment = (input: string): QueryProblem =>
  new QueryProblem(
    'QRY351',
    { parameter: 'since', column: 0, input },
    `Expected a day such as 2026-11-20 (its beginning in UTC), a moment such as 2026-11-20T08:00:00Z or 2026-11-20T19:00:00+11:00, or the token of an earlier answer, found ${quoted(input)}${/ \d\d:?\d\d$/.test(input) ? '; write the + of an offset as %2B in an address' : ''}`,
  )

/** @param now milliseconds since 1970 */
export const momentToCome = (input: string, at: number, now: number): QueryProblem =>
  new QueryProblem(
    'QRY353',
    { parameter: 'since', column: 0, input },
    `Expected a moment that has passed, found ${quoted(input)}, which is ${timeOf(at)}; it is ${timeOf(now)} now. A day begins at 00:00 UTC`,
  )

/** `$filter` beside `since` */
export const notWithChanges = (at: Place, reason: string): QueryProblem =>
  new QueryProblem('QRY352', at, `${at.parameter} cannot be used with changes: ${reason}`)

const readAgain = (list: ListName): string =>
  `Read everything again with /api/v2/${list}/changes without since: its answer has a new token.`

/** What changed since then is not known any more, or never was. */
export const tokenTooOld = (list: ListName): Problem =>
  new Problem('SNP331', 'What changed since this token is not known any more', { hint: readAgain(list) })

/**
 * @param moment milliseconds since 1970
 * @param oldest the next moment that can be answered; null when there is none
 */
export const momentTooOld = (list: ListName, moment: number, oldest: number | null): Problem =>
  new Problem('SNP333', `What changed since ${timeOf(moment)} is not known any more`, {
    hint:
      oldest === null
        ? readAgain(list)
        : `The oldest moment that can be asked is ${timeOf(oldest)}. Or: ${readAgain(list)}`,
  })

const timeOf = (moment: number): string => new Date(moment).toISOString().replace('.000Z', 'Z')

export const foreignToken = (list: ListName): Problem =>
  new Problem('SNP332', `The token is not one of the ${list} of this client`, {
    hint: `Use the token of an answer with the same list and the same API key. ${readAgain(list)}`,
  })
