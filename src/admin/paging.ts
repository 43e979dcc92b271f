/**
 * Pages of a list that is small enough to be had as a whole. The cursor is the order key of the last item that was given,
 * so that a page neither repeats nor skips what is still there, whatever comes or goes in between. Refuses a cursor that
 * is none.
 */
import Type, { type TProperties, type TSchema } from 'typebox'
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
