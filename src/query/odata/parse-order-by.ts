/**
 * Parses $orderby into sort clauses, the primary one first:
 *
 *     orderby = clause { "," clause }
 *     clause  = path ["asc" | "desc"]
 *
 * Binding looks up the names.
 */
import { closest } from '../../kernel/closest.ts'
import type { Ordering } from '../ast.ts'
import type { QueryLimits } from '../limits.ts'
import { reservedInOrderBy } from './keywords.ts'
import { adviceForLabelInList } from './other-forms.ts'
import { parsePath } from './parse-path.ts'
import { readSortClauses } from './sort-clauses.ts'
import {
  advance,
  atEnd,
  atSymbol,
  atWord,
  openTokenReader,
  type TokenReader,
  unexpectedToken,
} from './token-reader.ts'

/** @throws QueryProblem QRY1xx where the text does not match the grammar, QRY3xx where it exceeds a limit */
export function parseOrderBy(input: string, limits: QueryLimits): readonly Ordering[] {
  const reader = openTokenReader('$orderby', input)
  const orderings = readSortClauses(reader, limits, parseClause)
  if (!atEnd(reader)) throw unexpectedAfterClause(reader, orderings.at(-1))
  return orderings
}

/** Accepts `bookingDate`, `bookingDate DESC`; refuses `desc`, `-bookingDate`. */
function parseClause(reader: TokenReader): Ordering {
  if (atSymbol(reader, '-')) {
    throw unexpectedToken(reader, 'a field name', { hint: 'write desc after the field instead' })
  }
  const field = parsePath(reader, reservedInOrderBy)
  const direction = atWord(reader, 'desc') ? 'desc' : 'asc'
  if (direction === 'desc' || atWord(reader, 'asc')) advance(reader)
  return { field, direction }
}

function unexpectedAfterClause(reader: TokenReader, last: Ordering | undefined) {
  const directed = last !== undefined && reader.end > last.field.span.end
  if (directed) return unexpectedToken(reader, "',' or the end of the value")
  const { token, input } = reader
  const keywords = ['asc', 'desc']
  const mayBeLabel = token.kind === 'word' && closest(token.text, keywords) === undefined
  const hint =
    otherDirections.get(token.text.toLowerCase()) ??
    (mayBeLabel ? adviceForLabelInList(input.slice(last?.field.span.start)) : undefined)
  return unexpectedToken(reader, "asc, desc, ',' or the end of the value", { keywords, hint })
}

/** `asc` is as near to `dsc` as `desc` is. */
const otherDirections: ReadonlyMap<string, string> = new Map(
  (
    [
      ['asc', 'ascending ascend acs up'],
      ['desc', 'descending descend dsc dec dcs down'],
    ] as const
  ).flatMap(([direction, others]) =>
    others.split(' ').map((other): [string, string] => [other, `write ${direction}`]),
  ),
)
