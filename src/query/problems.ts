/**
 * The problems of version 2 queries. Each one says what was expected, what was found and what to write instead, and points at
 * the column in the text. QRY1xx: syntax. QRY2xx: names that do not fit the dataset. QRY3xx: parameters, limits, literals that
 * do not fit their field, and labels that the client does not have. Codes are never reused.
 */
import { type ProblemCode, QueryProblem } from '../kernel/problem.ts'
import type { FieldType } from '../schema/field.ts'
import type { QueryLimits } from './limits.ts'

/** The parameter and the column where reading failed. */
export type Place = {
  readonly parameter: string
  readonly column: number
  readonly input: string | undefined
}

/** A next step for the author of the query, e.g. `write eq`. */
type Hint = string | undefined

/** `Expected a field name, found '='` */
export const unexpected = (at: Place, expected: string, found: string, hint?: Hint) =>
  problem('QRY101', at, `Expected ${expected}, found ${found}`, hint)

export const DOUBLED_QUOTE = "a quote within a text is written twice, as in 'O''Hare'"

/** `recordLocator eq 'ABC` */
export const unterminatedText = (at: Place, text: string) =>
  problem(
    'QRY102',
    at,
    `Expected a closing quote for the text ${quoted(text)}, found the end of the value`,
    `${DOUBLED_QUOTE}; in an address & is written %26 and # is written %23`,
  )

/** `unitPrice gt 12abc` */
export const malformedNumber = (at: Place, text: string, hint: string) =>
  problem('QRY103', at, `Expected a number such as 12, -0.5 or 1e3, found ${quoted(text)}`, hint)

/** `recordLocator eqq 'ABC123'` */
export const unknownOperator = (at: Place, name: string, operators: readonly string[], hint: Hint) =>
  problem('QRY104', at, `Unknown operator ${quoted(name)}, expected ${choice(operators)}`, hint)

/** `contians(originatingAgency, 'syd')` */
export const unknownFunction = (
  at: Place,
  name: string,
  functions: readonly string[],
  { nearest, advice }: { readonly nearest: Hint; readonly advice?: Hint },
) =>
  problem(
    'QRY105',
    at,
    `Unknown function ${quoted(name)}, expected ${choice(functions)}`,
    advice ?? didYouMean(nearest),
  )

/** `dueDate gt invoiceDate` */
export const nameInsteadOfLiteral = (at: Place, name: string, where: string, advice: Hint) =>
  problem(
    'QRY106',
    at,
    `Expected a text, a number, true, false or null ${where}, found the name ${quoted(name)}`,
    advice ?? 'a field cannot be compared with another field; write a text in single quotes',
  )

/** `and eq 1`, `customDataFields.in eq 'x'` */
export const reservedWord = (at: Place, word: string) =>
  problem(
    'QRY107',
    at,
    `Expected a field name, found the reserved word ${quoted(word)}`,
    `write ['${word}'] if it is a name`,
  )

/** `any(lineItems, any(lineItems, quantity gt 1))` */
export const nestedQuantifier = (at: Place, word: string) =>
  problem(
    'QRY108',
    at,
    `Expected a condition on the element's own fields, found ${quoted(word)} inside any or all`,
    'any and all do not nest',
  )

/** `$filter=` */
export const emptyValue = (at: Place, expected: string) =>
  problem(
    'QRY109',
    at,
    `Expected ${expected}, found nothing`,
    `leave ${at.parameter} out if it is not needed`,
  )

/** `bokingDate eq null`. Suggestions come from the dataset's own names and the caller's own labels. */
export const unknownField = (
  at: Place,
  name: string,
  owner: string,
  fields: readonly string[],
  nearest: Hint,
) =>
  nearest === undefined
    ? problem('QRY201', at, `Unknown field ${quoted(name)} in ${owner}, expected ${choice(fields)}`)
    : problem('QRY201', at, `Unknown field ${quoted(name)} in ${owner}`, didYouMean(nearest))

/** `invoiceNumber` on bookings: another list has such a field. */
export const foreignField = (
  at: Place,
  name: string,
  owner: string,
  { list, path }: { readonly list: string; readonly path: string },
) => problem('QRY201', at, `Unknown field ${quoted(name)} in ${owner}`, `the list ${list} has ${path}`)

/** `customDataFields.COST` where the client has the labels `Cost` and `cost`. */
export const ambiguousName = (at: Place, name: string, candidates: readonly string[]) =>
  problem(
    'QRY202',
    at,
    `Ambiguous name ${quoted(name)}, which could be ${choice(candidates.map(quoted))}`,
    'write the one that is meant letter by letter',
  )

/** `customDataFields eq 'x'`, `segments eq 'x'` */
export const incompletePath = (at: Place, name: string, hint: string) =>
  problem('QRY203', at, `Expected the path of a single value, found ${quoted(name)} alone`, hint)

/** `bookingDate.year eq 2026` */
export const partOfValue = (at: Place, name: string, owner: string) =>
  problem(
    'QRY204',
    at,
    `Unknown field ${quoted(name)}, since ${quoted(owner)} is a single value without parts`,
  )

/** `customDataFields.Cost.Centre eq 'x'` */
export const pathTooLong = (at: Place, name: string, hint: string) =>
  problem('QRY205', at, `Expected a path of at most two names, found ${quoted(name)} as the third`, hint)

/** `segments.status eq 'HK'` on bookings */
export const foreignCollection = (at: Place, name: string, dataset: string, owner: string) =>
  problem('QRY206', at, `Unknown collection ${quoted(name)} in ${dataset}`, `it is part of ${owner}`)

/** `$orderby=segments.startLocal` */
export const sortByCollection = (at: Place, name: string) =>
  problem(
    'QRY207',
    at,
    `Expected a field of the record, found the collection ${quoted(name)}`,
    'a record has many elements and cannot be sorted by them',
  )

/** `$orderby=lineType` */
export const sortByElementField = (at: Place, name: string, collection: string) =>
  problem(
    'QRY207',
    at,
    `Expected a field of the record, found ${quoted(name)} of the collection ${quoted(collection)}`,
    'a record has many elements and cannot be sorted by them',
  )

/** `any(company, quantity gt 1)` */
export const notACollection = (at: Place, name: string, collections: readonly string[]) =>
  problem('QRY208', at, `Expected the collection ${choice(collections)}, found ${quoted(name)}`)

/** `any(lineItems, lineItems.quantity gt 1)` */
export const qualifiedElementField = (at: Place, name: string, collection: string) =>
  problem(
    'QRY209',
    at,
    `Expected a field of one element of ${collection}, found ${quoted(name)}`,
    'inside any and all the fields of the element are written alone',
  )

/** `$filter=...&filter=...` */
export const repeatedParameter = (at: Place) =>
  problem(
    'QRY301',
    at,
    `Expected ${at.parameter} once, found it again`,
    'with or without $ and in any letter case it is the same parameter',
  )

/** `$top=10`, `$fliter=...`, `pagesise=10` */
export const unknownParameter = (at: Place, advice: string) =>
  problem('QRY302', at, `Unknown parameter ${quoted(at.parameter)}`, advice)

/** `=isTicketed eq true`: between double quotes, a shell has put the empty value of its variable `filter` for `$filter`. */
export const namelessParameter = (input: string) =>
  problem(
    'QRY450',
    { parameter: '', column: 0, input },
    `Expected the name of a parameter before ${quoted(`=${input}`)}, found none`,
    'a shell replaces $filter between double quotes by nothing; write filter, which means the same, or use single quotes',
  )

/** `$page=0`, `$pageSize=1e2`, `$skip=-1` */
export const notAWholeNumber = (at: Place, range: string, found: string, hint?: Hint) =>
  problem(
    'QRY303',
    at,
    `Expected a whole number ${range}, found ${found === '' ? 'nothing' : quoted(found)}`,
    hint,
  )

/** `$count=10` */
export const notATruthValue = (at: Place) =>
  problem(
    'QRY305',
    at,
    `Expected true or false, found ${at.input === '' ? 'nothing' : quoted(at.input ?? '')}`,
    'the number of records in an answer is limited by $top or $pageSize',
  )

/** `$top=10&$page=2` */
export const mixedPaging = (at: Place, other: string) =>
  problem(
    'QRY306',
    at,
    `Expected either $page and $pageSize or $top and $skip, found ${other} and ${at.parameter}`,
    'both name a part of the records; leave one of them out',
  )

/** `$format=xml` */
export const unknownFormat = (at: Place, formats: readonly string[], nearest: Hint) =>
  problem('QRY304', at, `Expected ${choice(formats)}, found ${quoted(at.input ?? '')}`, didYouMean(nearest))

const limitCodes = {
  parameterLength: 'QRY311',
  filterNodes: 'QRY312',
  filterDepth: 'QRY313',
  listItems: 'QRY314',
  sortClauses: 'QRY315',
  applyDimensions: 'QRY511',
  applyAggregates: 'QRY512',
} satisfies { readonly [Limit in keyof QueryLimits]: ProblemCode }

const limitMeanings: { readonly [Limit in keyof QueryLimits]: string } = {
  parameterLength: 'characters in one parameter',
  filterNodes: 'operators, functions and comparisons',
  filterDepth: 'levels of parentheses, not, any and all',
  listItems: 'items in one list',
  sortClauses: 'sort clauses',
  applyDimensions: 'dimensions',
  applyAggregates: 'aggregates',
}

/** The query exceeds one of {@link QueryLimits}; the message names the setting and its value. */
export const overLimit = (at: Place, limit: keyof QueryLimits, limits: QueryLimits) =>
  problem(
    limitCodes[limit],
    at,
    `Expected at most ${limits[limit]} ${limitMeanings[limit]}, found more`,
    `the limit is ${limit} = ${limits[limit]}`,
  )

/** `contains(recordLocator, 'a') or contains(recordLocator, 'b') or ...` over more texts than a request may read. */
export const overBudget = (at: Place, rowsScanned: number, limit: number) =>
  problem(
    'QRY316',
    at,
    `Expected a filter that looks at no more than ${limit} rows, found one that looks at ${rowsScanned} at least`,
    `the limit is requestRowsScanned = ${limit}; ask with fewer conditions, with in instead of many or, and with startswith or eq instead of contains and endswith`,
  )

const unfitCodes = {
  date: 'QRY331',
  minute: 'QRY331',
  integer: 'QRY332',
  decimal: 'QRY332',
  boolean: 'QRY333',
  text: 'QRY334',
} satisfies { readonly [Type in FieldType]: ProblemCode }

const dateForms = (zones: string) => `a date as YYYY-MM-DD or YYYY-MM-DDTHH:MM[:SS[.fff]][${zones}]`
const LOCAL_FORMS = dateForms('Z')
const UTC_FORMS = dateForms('Z|±HH:MM')
const NUMBER_FORMS = 'a number such as 12, -0.5 or 1e3'

/** What can be compared with a field of the type, with an example for literals without a similar one. */
const acceptedLiterals: { readonly [Type in FieldType]: readonly [forms: string, hint?: string] } = {
  date: [LOCAL_FORMS, "write it like '2026-01-31'"],
  minute: [LOCAL_FORMS, "write it like '2026-01-31' or '2026-01-31T09:30'"],
  integer: [NUMBER_FORMS],
  decimal: [NUMBER_FORMS],
  boolean: ['true, false, 1 or 0'],
  text: ['a text in single quotes, or a number,'],
}

type UnfitLiteral = {
  readonly field: string
  readonly takesOffset: boolean
  /** As written. */
  readonly found: string
  /** What may have been meant, as written in a filter. */
  readonly similar: readonly string[]
  readonly remark: Hint
}

/** `bookingDate ge '01/02/2025'`, `isTicketed eq 'yes'`, `lineItems.unitPrice gt 'abc'`, `company eq true` */
export const unfitLiteral = (at: Place, type: FieldType, unfit: UnfitLiteral) => {
  const { field, takesOffset, found, similar, remark } = unfit
  const [accepted, example] = acceptedLiterals[type]
  const forms = takesOffset ? UTC_FORMS : accepted
  const hint = similar.length === 0 ? (remark ?? example) : didYouMean(choice(similar))
  return problem(unfitCodes[type], at, `Expected ${forms} for ${field}, found ${found}`, hint)
}

/** `tripStartLocal ge '2026-03-10T08:00+10:00'` */
export const offsetOfLocalTime = (
  at: Place,
  { field, found, local }: { readonly field: string; readonly found: string; readonly local: string },
) =>
  problem(
    'QRY520',
    at,
    `Expected a local time for ${field}, whose values have no offset from UTC, found ${quoted(found)}`,
    `write the local time without the offset, as in ${quoted(local)}`,
  )

/** Labels that one message lists. */
const MOST_LABELS = 12

/** `customDataFields['Cost center'] eq 'X1'` where the client has the label `Cost centre`. */
export const unknownLabel = (
  at: Place,
  name: string,
  similar: readonly string[],
  labels: readonly string[],
) => {
  const unknown = `Unknown label ${quoted(name)} in customDataFields`
  if (similar.length > 0) return problem('QRY335', at, unknown, didYouMean(choice(similar)))
  if (labels.length === 0) return problem('QRY335', at, `${unknown}: this client has no labels`)
  // As in a filter, so that a label with an apostrophe can be copied.
  const shown = labels.slice(0, MOST_LABELS).map((label) => quoted(label.replaceAll("'", "''")))
  const more = labels.length - shown.length
  return problem(
    'QRY335',
    at,
    `${unknown}, expected ${choice(more > 0 ? [...shown, `${more} others`] : shown)}`,
  )
}

/** `'abc'`, shortened so that the message stays readable. */
export function quoted(text: string): string {
  const shown = text.length <= 60 ? text : `${text.slice(0, 59).replace(/[\ud800-\udbff]$/, '')}…`
  return `'${shown}'`
}

/** `a, b or c` */
export function choice(names: readonly string[]): string {
  const last = names.at(-1) ?? ''
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} or ${last}`
}

function problem(code: ProblemCode, at: Place, message: string, hint?: Hint): QueryProblem {
  return new QueryProblem(code, at, hint === undefined ? message : `${message}; ${hint}`)
}

const didYouMean = (name: Hint): Hint => (name === undefined ? undefined : `did you mean ${name}?`)
