/**
 * Keeps all rows of a partition in the order of a sort, for frequent sorts: whichever rows a filter leaves, a page of them is
 * found by walking along that order. An order is built in the background once the sorts have cost about as much as it does;
 * the least recently used orders are evicted when all orders together outgrow their share of memory.
 */
import { LRUCache } from 'lru-cache'
import { runWork, type Work } from '../work.ts'
import { type SortWord, sortAllByWords } from './radix-sort.ts'

export type RowOrder = {
  readonly ids: Int32Array
  /** The least row of each block of {@link ROWS_PER_BLOCK} ids: a block without matching rows is skipped. */
  readonly leastOf: Int32Array
  readonly greatestOf: Int32Array
}

export const ROWS_PER_BLOCK = 128

/** How many times a sort must have read all rows before its order is worth building. */
const WORTH_LOOKS = 8

/** How many sorts are counted. */
const MOST_COUNTED = 1000

export class RowOrders {
  readonly #count: number
  readonly #kept: LRUCache<string, RowOrder>
  /** Rows that each sort has read because it had no order. */
  #lookedAt = new Map<string, number>()

  /** @param count number of rows of the partition */
  constructor(count: number, mostBytes: number) {
    this.#count = count
    this.#kept = new LRUCache({ maxSize: Math.floor(mostBytes) })
  }

  /**
   * The order for the key, once it is built. Until then the call counts the rows that the sort reads instead; the call that
   * starts the build also returns null.
   *
   * @param words the words of the sort with this key, most significant first
   */
  onceWorthwhile(key: string, rows: number, words: () => readonly SortWord[]): RowOrder | null {
    const known = this.#kept.get(key)
    if (known !== undefined) return known
    const lookedAt = (this.#lookedAt.get(key) ?? 0) + rows
    if (this.#lookedAt.size === MOST_COUNTED) this.#lookedAt = new Map()
    // No other call begins to build.
    const isWorthwhile = lookedAt >= WORTH_LOOKS * this.#count
    this.#lookedAt.set(key, isWorthwhile ? Number.NEGATIVE_INFINITY : lookedAt)
    if (isWorthwhile) setImmediate(() => this.#build(key, words()))
    return null
  }

  async #build(key: string, words: readonly SortWord[]): Promise<void> {
    const order = await runWork(orderOf(this.#count, words))
    const { ids, leastOf, greatestOf } = order
    const byteLength = ids.byteLength + leastOf.byteLength + greatestOf.byteLength
    this.#kept.set(key, order, { size: byteLength + 2 * key.length })
    this.#lookedAt.delete(key)
  }
}

function* orderOf(count: number, words: readonly SortWord[]): Work<RowOrder> {
  return yield* inBlocks(yield* sortAllByWords(count, words.toReversed()))
}

const BLOCKS_PER_PAUSE = 1024

export function* inBlocks(ids: Int32Array): Work<RowOrder> {
  const blocks = Math.ceil(ids.length / ROWS_PER_BLOCK)
  const leastOf = new Int32Array(blocks).fill(ids.length)
  const greatestOf = new Int32Array(blocks).fill(-1)
  for (let block = 0; block < blocks; block++) {
    if (block % BLOCKS_PER_PAUSE === BLOCKS_PER_PAUSE - 1) yield
    const to = Math.min(ids.length, (block + 1) * ROWS_PER_BLOCK)
    for (let at = block * ROWS_PER_BLOCK; at < to; at++) {
      const row = ids[at]!
      if (row < leastOf[block]!) leastOf[block] = row
      if (row > greatestOf[block]!) greatestOf[block] = row
    }
  }
  return { ids, leastOf, greatestOf }
}
