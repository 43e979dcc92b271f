/**
 * Parses what groups can be made by, in `groupby` and in `$orderby` beside `$apply`:
 *
 *     dimension = path | part "(" path ")"
 *     part      = "year" | "quarter" | "month" | "week" | "date"
 */
import { closest } from '../../../kernel/closest.ts'
import { type DatePart, dateParts } from '../../aggregation.ts'
import type { FieldPath } from '../../ast.ts'
import { unknownFunction } from '../../problems.ts'
import { reservedInOrderBy } from '../keywords.ts'
import { parsePath } from '../parse-path.ts'
import { atSymbol, expectSymbol, placeAt, type TokenReader, takeSymbol } from '../token-reader.ts'

/** Accepts `company`, `MONTH(bookingDate)`, `segments.vendor`; refuses `day(bookingDate)`, `month()`. */
export function parseDimensionTerm(reader: TokenReader): {
  readonly part: DatePart | null
  readonly field: FieldPath
} {
  const path = parsePath(reader, reservedInOrderBy)
  const [only] = path.names
  if (!atSymbol(reader, '(') || path.names.length > 1 || only === undefined || only.quoted)
    return { part: null, field: path }
  const part = dateParts.find((name) => name === only.name.toLowerCase())
  if (part === undefined) {
    const nearest = closest(only.name, dateParts) ?? otherParts.get(only.name.toLowerCase())
    throw unknownFunction(placeAt(reader, only.span.start), only.name, dateParts, { nearest })
  }
  takeSymbol(reader, '(')
  const field = parsePath(reader, reservedInOrderBy)
  expectSymbol(reader, ')', `')' after the field of ${part}`)
  return { part, field }
}

/** Functions of other services. */
const otherParts: ReadonlyMap<string, DatePart> = new Map([
  ['day', 'date'],
  ['totalday', 'date'],
  ['isoweek', 'week'],
  ['yearmonth', 'month'],
])
