/**
 * The problems of `$apply`, and of `$orderby` beside it: QRY5xx. Syntax and names that `$filter` has too are in problems.ts.
 */
import { type ProblemCode, QueryProblem } from '../kernel/problem.ts'
import { choice, type Place, quoted } from './problems.ts'

const WHAT_WORKS =
  'any number of filter(...) steps, then groupby((...)), groupby((...),aggregate(...)) or aggregate(...), joined by /'

/** `groupby((company))/filter(company ne 'X')`, `filter(company eq 'X')` alone */
export const unfitSteps = (at: Place, found: string) =>
  problem('QRY501', at, `Expected ${WHAT_WORKS}; found ${found}`)

/** `topcount(10,n)`, `groupyb((company))` */
export const unknownStep = (at: Place, name: string, advice: string) =>
  problem('QRY502', at, `Unknown step ${quoted(name)}, expected filter, groupby or aggregate; ${advice}`)

/** `unitPrice with median as m` */
export const unknownMethod = (at: Place, name: string, methods: readonly string[], advice: string | null) =>
  problem(
    'QRY503',
    at,
    `Unknown method ${quoted(name)}, expected ${choice(methods)}${advice === null ? '' : `; ${advice}`}`,
  )

/** `company with sum as s` */
export const unfitMethod = (at: Place, method: string, field: string, expected: string) =>
  problem(
    'QRY504',
    at,
    `Expected ${expected} for ${method}, found ${quoted(field)}; min, max and countdistinct take texts and dates too`,
  )

/** `isTicketed with max as m` */
export const unorderedMethod = (at: Place, method: string, field: string) =>
  problem(
    'QRY504',
    at,
    `Expected a number, a date or a text for ${method}, found the boolean ${quoted(field)}; group by it to count its values`,
  )

/** `month(company)` */
export const unfitPart = (at: Place, part: string, field: string) =>
  problem('QRY505', at, `Expected a date or date-time field for ${part}, found ${quoted(field)}`)

/** `groupby((company,company))`, `aggregate($count as n,unitPrice with sum as n)` */
export const repeatedMember = (at: Place, member: string) =>
  problem(
    'QRY506',
    at,
    `Expected a name for each member of a group, found ${quoted(member)} twice`,
    'give one of them another name with as',
  )

/** `groupby((lineItems.lineType),aggregate(totalAmount with sum as s))` */
export const recordSumOfElements = (at: Place, method: string, field: string, collection: string) =>
  problem(
    'QRY507',
    at,
    `Expected a field of ${collection} for ${method}, found ${quoted(field)} of the record`,
    `a record would count once per element of ${collection}; min, max and countdistinct of its fields are possible`,
  )

/** `groupby((travellers.name),aggregate(payments.amount with sum as s))` */
export const secondCollection = (at: Place, found: string, first: string) =>
  problem(
    'QRY508',
    at,
    `Expected fields of the record and of ${first}, found ${quoted(found)}`,
    'a request groups the elements of one collection; ask for the other one in a request of its own',
  )

/** `$orderby=total` beside `aggregate($count as n)` */
export const unknownMember = (
  at: Place,
  name: string,
  members: readonly string[],
  nearest: string | undefined,
) =>
  problem(
    'QRY509',
    at,
    `Unknown member ${quoted(name)} of the groups, expected ${choice(members)}`,
    nearest === undefined ? undefined : `did you mean ${nearest}?`,
  )

/** `$apply=groupby((isTicketed))&$select=recordLocator` */
export const selectedGroups = (at: Place) =>
  problem(
    'QRY510',
    at,
    'Expected $apply without $select, found both',
    'groups have what $apply names; leave $select out',
  )

/** `groupby((recordLocator))` over more records than groups are allowed */
export const tooManyGroups = (at: Place, most: number) =>
  problem(
    'QRY513',
    at,
    `Expected at most ${most} groups, found more`,
    `the limit is applyGroups = ${most}; group by fewer or coarser dimensions, or narrow the records with filter`,
  )

export const tooMuchGroupMemory = (at: Place, most: number) =>
  problem(
    'QRY514',
    at,
    `Expected groups of at most ${most} bytes in memory, found more`,
    `the limit is applyBytes = ${most}; ask for fewer groups or aggregates, above all with countdistinct`,
  )

function problem(code: ProblemCode, at: Place, message: string, hint?: string): QueryProblem {
  return new QueryProblem(code, at, hint === undefined ? message : `${message}; ${hint}`)
}
