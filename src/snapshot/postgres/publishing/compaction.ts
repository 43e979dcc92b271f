/**
 * Chooses whose rows move into the newest generation, so that older ones become empty and can be dropped. Without it, every
 * refresh would leave one more generation, and each would keep its dead rows as long as one client in it never changes.
 */
import type { StoredName } from '../../../schema/datasets.ts'

/** Where the current rows of a client are. */
export type LiveRows = {
  readonly clientNumber: string
  readonly stored: StoredName
  readonly generation: number
  readonly rows: number
}

/** Generations of a collection beyond this number are merged, the smallest first. */
export const MOST_GENERATIONS = 8

/** A refresh moves at most twice as many rows as it has written, so that it writes three rows for each changed one at most. */
const MOVED_PER_WRITTEN = 2

/** Fewer rows are moved whatever was written: they take no time. */
const ALWAYS_MOVED = 10_000

/**
 * @param live rows of one collection that are not in the newest generation
 * @param totals rows of each generation, dead ones included
 * @param written rows that the refresh has written
 */
export function chooseMoves(
  live: readonly LiveRows[],
  totals: ReadonlyMap<number, number>,
  written: number,
): readonly LiveRows[] {
  const generations = [...Map.groupBy(live, ({ generation }) => generation)]
    .map(([generation, clients]) => ({ clients, rows: rowsOf(clients), total: totals.get(generation) ?? 0 }))
    .sort((one, other) => one.rows - other.rows)
  const surplus = generations.length - MOST_GENERATIONS
  const emptied = generations.filter(({ rows, total }, rank) => rows < total / 2 || rank < surplus)
  let left = Math.max(MOVED_PER_WRITTEN * written, ALWAYS_MOVED)
  const moves: LiveRows[] = []
  for (const client of emptied.flatMap(({ clients }) => clients)) {
    if (client.rows > left) continue
    left -= client.rows
    moves.push(client)
  }
  return moves
}

const rowsOf = (clients: readonly LiveRows[]): number => clients.reduce((sum, { rows }) => sum + rows, 0)
