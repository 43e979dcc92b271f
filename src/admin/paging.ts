/**
 * Parameters and pages of lists. For lists that fit into memory, the cursor is the sort key of the last item of the page before:
 * no page repeats or skips an item that stays, whatever is added or removed in between.
 */
import type { TProperties, TSchema } from 'typebox'
import { parseInstant } from '../kernel/calendar.ts'
import { compareCodePoints } from '../kernel/text.ts'
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

export type Page<Item> = { readonly items: readonly Item[]; readonly next: string | null }

/**
 * Sorts by keys: member by member, by code point. No two items may have the same key.
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

/** Refuses an `after` that no response has given as `next`. */
export const badCursor = () =>
  invalidInput('address', [{ path: '/after', message: 'must be `next` of the page before' }])

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
    // Refused below.
  }
  throw badCursor()
}
