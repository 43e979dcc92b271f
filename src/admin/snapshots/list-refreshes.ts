/** Searches, sorts and cuts the list of refreshes, which fits into memory: 1,000 are kept. */
import { compareCodePoints, fold } from '../../kernel/text.ts'
import type { RefreshSummary } from '../../schema/refresh-shapes.ts'
import { badCursor, type Page } from '../paging.ts'

type Key = readonly (string | number)[]

/** What the list can be sorted by. Each sort ends with the id, so that no two keys are equal. */
const sorts = {
  startedAt: ({ startedAt }: RefreshSummary): Key => [startedAt],
  milliseconds: ({ milliseconds }: RefreshSummary): Key => [milliseconds ?? -1],
  rejects: ({ rejects }: RefreshSummary): Key => [rejects ?? -1],
} as const

const names = Object.keys(sorts) as readonly (keyof typeof sorts)[]

/** With `-` in front, the last comes first. */
export const refreshSorts = [...names, ...names.map((name) => `-${name}` as const)] as const

type Sort = (typeof refreshSorts)[number]

export type RefreshQuery = {
  readonly text?: string | undefined
  readonly sort: Sort
  readonly limit: number
  readonly after?: string | undefined
}

/** @throws DetailedProblem ADM105 for a cursor of a list with another order */
export function listRefreshes(
  refreshes: readonly RefreshSummary[],
  { text = '', sort, limit, after }: RefreshQuery,
): Page<RefreshSummary> & { readonly total: number } {
  const wanted = fold(text.trim())
  const found = refreshes.filter((refresh) => textsOf(refresh).some((one) => fold(one).includes(wanted)))
  const descending = sort.startsWith('-')
  const keyIn = sorts[sort.replace('-', '') as keyof typeof sorts]
  const keyOf = (refresh: RefreshSummary): Key => [...keyIn(refresh), refresh.id]
  const compare = (a: Key, b: Key) => (descending ? compareKeys(b, a) : compareKeys(a, b))
  const start = after === undefined ? null : keyOfCursor(after, sort)
  const rest = found
    .map((refresh) => ({ refresh, key: keyOf(refresh) }))
    .filter(({ key }) => start === null || compare(key, start) > 0)
    .sort((a, b) => compare(a.key, b.key))
  const last = rest.length > limit ? rest[limit - 1] : undefined
  return {
    items: rest.slice(0, limit).map(({ refresh }) => refresh),
    next: last === undefined ? null : cursorOf(last.key, sort),
    total: found.length,
  }
}

const textsOf = ({ id, requestedBy, node, snapshotId, reasons }: RefreshSummary): readonly string[] => [
  id,
  requestedBy,
  node,
  snapshotId ?? '',
  ...reasons.flatMap(({ code, message }) => [code, message]),
]

function compareKeys(a: Key, b: Key): number {
  for (const [i, one] of a.entries()) {
    const other = b[i]
    const order = typeof one === 'number' ? one - Number(other) : compareCodePoints(one, String(other))
    if (order !== 0) return order
  }
  return 0
}

const cursorOf = (key: Key, sort: Sort): string =>
  Buffer.from(JSON.stringify([sort, ...key])).toString('base64url')

function keyOfCursor(cursor: string, sort: Sort): Key {
  try {
    const [of, ...key]: unknown[] = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    if (of === sort && key.length === 2 && isKey(key)) return key
  } catch {
    // Refused below.
  }
  throw badCursor()
}

const isKey = (key: readonly unknown[]): key is Key =>
  key.every((one) => typeof one === 'string' || typeof one === 'number')
