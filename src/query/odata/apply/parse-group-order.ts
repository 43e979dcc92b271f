/**
 * Parses $orderby beside $apply into sort clauses, the primary one first:
 *
 *     orderby = clause { "," clause }
 *     clause  = dimension ["asc" | "desc"]
 *
 * An alias has the form of a field. Binding finds the members.
 */
import type { ParsedGroupOrdering } from '../../aggregation.ts'
import type { QueryLimits } from '../../limits.ts'
import { readSortClauses } from '../sort-clauses.ts'
import {
  advance,
  atEnd,
  atSymbol,
  atWord,
  openTokenReader,
  type TokenReader,
  unexpectedToken,
} from '../token-reader.ts'
import { parseDimensionTerm } from './parse-dimension.ts'

/** @throws QueryProblem QRY1xx where the text does not match the grammar, QRY3xx where it exceeds a limit */
export function parseGroupOrder(input: string, limits: QueryLimits): readonly ParsedGroupOrdering[] {
  const reader = openTokenReader('$orderby', input)
  const orderings = readSortClauses(reader, limits, parseClause)
  if (!atEnd(reader))
    throw unexpectedToken(reader, "asc, desc, ',' or the end of the value", { keywords: ['asc', 'desc'] })
  return orderings
}

/** Accepts `n desc`, `month(bookingDate)`; refuses `-n`, `$count desc`. */
function parseClause(reader: TokenReader): ParsedGroupOrdering {
  const { start } = reader.token.span
  if (atSymbol(reader, '-')) {
    throw unexpectedToken(reader, 'a member of the groups', { hint: 'write desc after the member instead' })
  }
  if (atSymbol(reader, '$')) {
    throw unexpectedToken(reader, 'a member of the groups', { hint: 'write the alias of $count' })
  }
  const term = parseDimensionTerm(reader)
  const span = { start, end: reader.end }
  const descending = atWord(reader, 'desc')
  if (descending || atWord(reader, 'asc')) advance(reader)
  return { ...term, descending, span }
}
