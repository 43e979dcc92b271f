/**
 * Parameters and pages of lists. For lists that fit into memory, the cursor is the sort key of the last item of the page before:
 * no page repeats or skips an item that stays, whatever is added or removed in between.
 */
import type { TProperties, TSchema } from 'typebox'
import { parseInstant } from '../kernel/calendar.ts'
import { compareCodePoints, fold } from '../kernel/text.ts'
import Type from '../kernel/type.ts'
import { nullable } from '../schema/shapes.ts'
import { invalidInput } from './problems.ts'

export const pageParameters = {
  limit: Type.Integer({ minimum: 1, maximum: 500, default: 50, description: 'The most items on one page' }),
  after: Type.Optional(Type.String({ description: 'The cursor: `next` of the page before' })),
}

/** Refuses unknown names: a misspelt filter must not be ignored. */
export const queryShape = <Members extends TProperties>(members: Members) =>
  Type.Object(members, { additionalProperties: false })

export const pageShape = <Item extends TSchema>(item: Item) =>
  Type.Object({
    items: Type.Array(item),
    next: nullable(
      Type.String({ description: 'Send it as `after` to get the next page; null on the last page' }),
    ),
  })

/** A date or date-time as a parameter of an address, in the forms that filters accept. */
export const instantParameter = (description: string) =>
  Type.Optional(Type.String({ description: `${description}; a date or date-time, UTC without a zone` }))

/** A day as a parameter of an address. */
export const dayParameter = (description: string) =>
  Type.Optional(Type.String({ format: 'date', description: `${description}, such as 2026-01-31, in UTC` }))

/**
 * Converts a date or date-time to the form of the stores: RFC 3339 in UTC with milliseconds.
 *
 * @throws DetailedProblem ADM105
 */
export function instantText(path: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const instant = parseInstant(text)
  if (instant !== undefined) return new Date(instant).toISOString()
  throw invalidInput('address', [{ path, message: 'must be a date or date-time such as 2026-01-31T12:00Z' }])
}

/** What a list can be sorted by, and where its text search looks. Each sort ends with the id, so that no two keys are equal. */
export type Listed<Item> = {
  readonly sorts: Readonly<Record<string, (item: Item) => Key>>
  /** By default the first of `sorts`. */
  readonly byDefault?: string
  readonly id: (item: Item) => string
  /** Searched without regard to case. */
  readonly texts: (item: Item) => readonly (string | null)[]
}

type Key = readonly (string | number | null)[]

/** The parameters of a list that fits into memory. `searched` names the members that `text` is looked for in. */
export function listParameters<Item>({ sorts, byDefault }: Listed<Item>, searched: string) {
  const names = Object.keys(sorts)
  return {
    text: Type.Optional(Type.String({ description: `A part of ${searched}, in any letter case` })),
    sort: Type.Enum([...names, ...names.map((name) => `-${name}`)], {
      default: byDefault ?? (names[0] as string),
      description: 'The member to sort by; with `-` in front, the last comes first',
    }),
    ...pageParameters,
  }
}

export const listShape = <Item extends TSchema>(item: Item) =>
  Type.Object({
    ...pageShape(item).properties,
    total: Type.Integer({ minimum: 0, description: 'How many items all pages have together' }),
  })

export type List<Item> = Page<Item> & { readonly total: number }

type ListQuery = {
  readonly text?: string | undefined
  readonly sort: string
  readonly limit: number
  readonly after?: string | undefined
}

/**
 * Searches, sorts and cuts a list.
 *
 * @throws DetailedProblem ADM105 for a cursor of a list with another order
 */
export function listOf<Item>(
  items: readonly Item[],
  { sorts, id, texts }: Listed<Item>,
  { text = '', sort, limit, after }: ListQuery,
): List<Item> {
  const wanted = fold(text.trim())
  const found =
    wanted === ''
      ? items
      : items.filter((item) => texts(item).some((one) => one !== null && fold(one).includes(wanted)))
  const descending = sort.startsWith('-')
  const keyOf = sorts[descending ? sort.slice(1) : sort] as (item: Item) => Key
  const page = pageOf(found, (item) => [...keyOf(item), id(item)], { limit, after, sort, descending })
  return { ...page, total: found.length }
}

export type Page<Item> = { readonly items: readonly Item[]; readonly next: string | null }

/**
 * Sorts by keys: member by member; null comes before numbers, and numbers before texts, which are compared by code point. No two
 * items may have the same key.
 *
 * @throws DetailedProblem ADM105
 */
export function pageOf<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => Key,
  {
    limit,
    after,
    sort = '',
    descending = false,
  }: {
    readonly limit: number
    readonly after?: string | undefined
    readonly sort?: string
    readonly descending?: boolean
  },
): Page<Item> {
  const compare = (a: Key, b: Key) => (descending ? compareKeys(b, a) : compareKeys(a, b))
  const start = after === undefined ? undefined : keyIn(after, sort)
  const rest = items
    .map((item) => ({ item, key: keyOf(item) }))
    .filter(({ key }) => start === undefined || compare(key, start) > 0)
    .sort((a, b) => compare(a.key, b.key))
  const last = rest.length > limit ? rest[limit - 1] : undefined
  return {
    items: rest.slice(0, limit).map(({ item }) => item),
    next: last === undefined ? null : cursorOf(last.key, sort),
  }
}

/** Refuses an `after` that no response has given as `next`. */
export const badCursor = () =>
  invalidInput('address', [
    { path: '/after', message: 'must be `next` of the page before, of a list with the same order' },
  ])

function compareKeys(a: Key, b: Key): number {
  for (const [i, value] of a.entries()) {
    const other = b[i]
    if (other === undefined) return 1
    const order = compareValues(value, other)
    if (order !== 0) return order
  }
  return a.length - b.length
}

function compareValues(a: string | number | null, b: string | number | null): number {
  if (typeof a === 'string' && typeof b === 'string') return compareCodePoints(a, b)
  if (typeof a === 'number' && typeof b === 'number') return a - b
  return rankOf(a) - rankOf(b)
}

const rankOf = (value: string | number | null): number =>
  value === null ? 0 : typeof value === 'number' ? 1 : 2

/** A cursor names its order: in another one, its place would mean something else. */
const cursorOf = (key: Key, sort: string): string =>
  Buffer.from(JSON.stringify([sort, ...key])).toString('base64url')

function keyIn(cursor: string, sort: string): Key {
  try {
    const read: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    if (Array.isArray(read) && read.length > 1 && read[0] === sort && read.every(isKeyValue))
      return read.slice(1)
  } catch {
    // Refused below.
  }
  throw badCursor()
}

const isKeyValue = (value: unknown): boolean =>
  value === null || typeof value === 'string' || typeof value === 'number'
