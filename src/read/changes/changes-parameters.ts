/**
 * The parameters of a list of changes: `since`, and page and format as for lists. What chooses, orders or shapes records is
 * refused: the caller could not be told of a record that a filter does not find any more.
 */
import { distance } from 'fastest-levenshtein'
import type { Paging } from '../../query/ast.ts'
import type { QueryLimits } from '../../query/limits.ts'
import { type Page, parseParameters } from '../../query/odata/parameters.ts'
import { repeatedParameter, unknownParameter } from '../../query/problems.ts'
import type { RecordFormat } from '../../schema/record-formats.ts'
import type { Parameters } from '../languages.ts'
import { notWithChanges } from './problems.ts'
import { readSince, type Since } from './since.ts'

export type ChangesParameters = {
  /** Null for everything. */
  readonly since: Since | null
  readonly page: Page | null
  /** The part that $top and $skip name. */
  readonly slice: Paging | null
  /** What is answered, by page or by slice; null for all. */
  readonly paging: Paging | null
  readonly format: RecordFormat | null
  /** Parameters that no one here knows, except possibly as labels of the client. */
  readonly unknown: Parameters
}

/**
 * @param now milliseconds since 1970
 * @throws QueryProblem QRY3xx
 */
export function parseChangesParameters(
  pairs: Parameters,
  limits: QueryLimits,
  now: number = Date.now(),
): ChangesParameters {
  let since: string | null = null
  const others: (readonly [name: string, value: string])[] = []
  for (const [name, input] of pairs) {
    const bare = name.toLowerCase().replace(/^\$/, '')
    const place = { parameter: name, column: 0, input }
    const refused = shapers.get(bare)
    if (refused !== undefined) throw notWithChanges({ ...place, parameter: `$${bare}` }, refused)
    if (bare !== 'since') others.push([name, input])
    else if (since !== null) throw repeatedParameter({ ...place, parameter: 'since' })
    else since = input
  }
  const { page, slice, query, format, unknown } = parseParameters(others, limits)
  for (const [parameter, input] of unknown) {
    // Ignoring it would return every record.
    if (isMeantForSince(parameter))
      throw unknownParameter({ parameter, column: 0, input }, 'did you mean since?')
  }
  return {
    since: since === null ? null : readSince(since, now),
    page,
    slice,
    paging: query.paging,
    format,
    unknown,
  }
}

const CHOICE =
  'a record that the filter no longer finds could not be told; filter the records where they are kept'

const shapers: ReadonlyMap<string, string> = new Map([
  ['filter', CHOICE],
  ['orderby', "changes are in the order of the records' identities, so that their pages can be walked"],
  ['select', 'changes are whole records, so that applying them gives the same records'],
  ['apply', 'ask the list itself for sums'],
])

/** The token has these names in an answer and in its headers. */
const namesOfToken: ReadonlySet<string> = new Set(['token', 'changestoken'])

function isMeantForSince(name: string): boolean {
  const bare = name.toLowerCase().replace(/^\$/, '')
  if (namesOfToken.has(bare.replace(/[_-]/g, ''))) return true
  return Math.abs(bare.length - 'since'.length) <= 2 && distance(bare, 'since') <= 2
}
