/**
 * Parameters and pages of lists. A page of a list that fits into memory begins behind its cursor, the order key of the last item
 * of the page before: no page repeats or skips an item that stays, whatever comes or goes in between.
 */
import Type, { type TProperties, type TSchema } from 'typebox'
import { parseInstant } from '../kernel/calendar.ts'
import { compareCodePoints } from '../kernel/text.ts'
import { nullable } from '../schema/shapes.ts'
import { invalidInput } from './problems.ts'

export const pageParameters = {
  limit: Type.Integer({ minimum: 1, maximum: 500, default: 50, description: 'Most items of one page' }),
  after: Type.Optional(Type.String({ description: 'Where to go on: `next` of the page before' })),
}

/** Names that are not known are refused: a filter that is misspelled must not pass for none. */
export const queryShape = <Members extends TProperties>(members: Members) =>
  Type.Object(members, { additionalProperties: false })

export const pageShape = <Item extends TSchema>(item: Item) =>
  Type.Object({
    items: Type.Array(item),
    next: nullable(Type.String({ description: 'Give it as `after` to get the next page; null on the last' })),
  })

/** A moment in an address, written as filters accept it. */
export const instantParameter = (description: string) =>
  Type.Optional(Type.String({ description: `${description}; a date or date-time, UTC without a zone` }))

/**
 * The moment as the stores keep it: RFC 3339 in UTC with milliseconds.
 *
 * @throws DetailedProblem ADM105
 */
export function instantText(path: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const instant = parseInstant(text)
  if (instant !== undefined) return new Date(instant).toISOString()
  throw invalidInput('address', [{ path, message: 'must be a date or date-time such as 2026-01-31T12:00Z' }])
}

export type Page<Item> = { readonly items: readonly Item[]; readonly next: string | null }

/**
 * The order is that of the keys, member by member, by code point; no two items may have the same key.
 *
 * @throws DetailedProblem ADM105
 */
export function pageOf<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => readonly string[],
  { limit, after }: { readonly limit: number; readonly after?: string | undefined },
): Page<Item> {
  const start = after === undefined ? [] : keyIn(after)
  const rest = items
    .map((item) => ({ item, key: keyOf(item) }))
    .filter(({ key }) => compareKeys(key, start) > 0)
    .sort((a, b) => compareKeys(a.key, b.key))
  const last = rest.length > limit ? rest[limit - 1] : undefined
  return {
    items: rest.slice(0, limit).map(({ item }) => item),
    next: last === undefined ? null : cursorOf(last.key),
  }
}

/** The refusal of an `after` that no answer has given. */
export const badCursor = () =>
  invalidInput('address', [{ path: '/after', message: 'must be what `next` of the page before was' }])

function compareKeys(a: readonly string[], b: readonly string[]): number {
  for (const [i, text] of a.entries()) {
    const other = b[i]
    if (other === undefined) return 1
    const order = compareCodePoints(text, other)
    if (order !== 0) return order
  }
  return a.length - b.length
}

const cursorOf = (key: readonly string[]): string => Buffer.from(JSON.stringify(key)).toString('base64url')

function keyIn(cursor: string): readonly string[] {
  try {
    const key: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    if (Array.isArray(key) && key.length > 0 && key.every((text) => typeof text === 'string')) return key
  } catch {
    // Told below.
  }
  throw badCursor()
}
