/**
 * The problems of version 1 queries. The answer of version 1 is `{error: message}` only, so the message has all information; the
 * messages of the specification (7.2) are verbatim. QRY40x and QRY41x: the query. QRY42x: version 1 accepts the query, but it
 * cannot be translated to version 2. Codes are never reused.
 */
import { Problem, type ProblemCode } from '../../kernel/problem.ts'
import type { FieldType } from '../../schema/field.ts'
import type { QueryLimits } from '../limits.ts'
import { choice, quoted as shortened } from '../problems.ts'
import type { CaretOperator, Subject } from './clause.ts'

/** `BookingDate`, `BookingDate^ GT2026-01-01` */
export const missingOperator = () => invalid('QRY401', 'Missing operator.')

/** `BookingDate^AFTER2026-01-01`; the letters are shown as written. */
export const unknownOperator = (letters: string) => invalid('QRY402', `Unknown operator ${quoted(letters)}.`)

/** `Traveller^EQ`, `Department^IN , ,` */
export const missingValue = (property: string) =>
  invalid('QRY403', `Argument for property ${quoted(property)} is null or empty.`)

/** `BookingDate^GTyesterday`, `TotalAmount^EQmuch` */
export const notNumericOrDate = ({ property, operator }: Subject, value: string) =>
  invalid(
    'QRY404',
    `Expected numeric or date value for operator '^${operator}' on property ${quoted(property)}, but got ${quoted(value)}.`,
  )

/** `Travellers.Name^EQAnna`, `Segments^EQ1`, `BokingDate^GT2026-01-01` */
export const unknownProperty = (property: string, typeName: string) =>
  new Problem('QRY405', `Unknown search property: ${quoted(property)} not found on type ${typeName}.`)

/** `Traveller^GT5`, `IsTicketed^INtrue,false` */
export const inapplicableOperator = (
  { property, operator }: Subject,
  type: FieldType,
  applicable: readonly CaretOperator[],
) =>
  invalid(
    'QRY406',
    `Operator '^${operator}' does not apply to property ${quoted(property)}, which is ${kindOf[type]}; use ${choice(applicable.map((name) => `^${name}`))}.`,
  )

const kindOf: { readonly [Type in FieldType]: string } = {
  text: 'text',
  date: 'a date',
  minute: 'a date-time',
  boolean: 'a boolean',
  integer: 'a number',
  decimal: 'a number',
}

/** `IsTicketed^EQyes` */
export const notBoolean = ({ property, operator }: Subject, value: string) =>
  invalid(
    'QRY407',
    `Expected true, false, 1 or 0 for operator '^${operator}' on property ${quoted(property)}, but got ${quoted(value)}.`,
  )

/** `query=Department^EQ100%` */
export const undecodableQuery = (part: string) =>
  invalid(
    'QRY408',
    `Expected percent-encoded UTF-8, but got ${shortened(part)}; a percent sign itself is written %25.`,
  )

/** `query=...&Query=...` */
export const repeatedQuery = () =>
  invalid('QRY409', "Expected parameter 'query' once, but got it again; clauses are joined by ';'.")

type CaretLimit = 'parameterLength' | 'filterNodes' | 'listItems'

const limitCodes: { readonly [Limit in CaretLimit]: ProblemCode } = {
  parameterLength: 'QRY411',
  filterNodes: 'QRY412',
  listItems: 'QRY413',
}

const limitMeanings: { readonly [Limit in CaretLimit]: string } = {
  parameterLength: 'characters in the query',
  filterNodes: 'clauses',
  listItems: 'items in one list',
}

/** The query exceeds one of {@link QueryLimits}; the message names the setting and its value. */
export const overLimit = (limit: CaretLimit, limits: QueryLimits) =>
  invalid(
    limitCodes[limit],
    `Expected at most ${limits[limit]} ${limitMeanings[limit]}, but got more; the limit is ${limit} = ${limits[limit]}.`,
  )

/** `Traveller^CTa;Department^CTb` over more texts than a request may read. */
export const overBudget = (rowsScanned: number, limit: number) =>
  invalid(
    'QRY414',
    `Expected a query that looks at no more than ${limit} rows, but got one that looks at ${rowsScanned} at least; the limit is requestRowsScanned = ${limit}; ask with fewer clauses, and with ^EQ or ^IN instead of ^CT.`,
  )

/** `query=;` translated to version 2. */
export const nothingToTranslate = () =>
  new Problem('QRY422', 'The query has no clauses and selects every record', {
    hint: 'leave $filter out to get the same from version 2',
  })

/** `Department^EQR&D;IsTicketed^EQ1`, which an address cannot contain. */
export const rawAmpersand = () =>
  new Problem('QRY423', "Expected one query, but got a raw '&', which ends a value in an address", {
    hint: "within a value it is written %26; with other parameters, begin the query with its name, as in 'query=...&offset=10'",
  })

/** `Traveller^EQa%0Ab` */
export const controlCharacters = () =>
  new Problem(
    'QRY424',
    'The filter has line breaks or other control characters, which do not show in a line',
    {
      hint: '--json prints it exactly, as a JSON text',
    },
  )

const invalid = (code: ProblemCode, message: string) => new Problem(code, `Invalid query format: ${message}`)

/** Not shortened, because callers compare these messages; the limit on queries bounds the length. */
const quoted = (text: string): string => `'${text}'`
