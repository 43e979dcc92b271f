/**
 * The rows that a query selects, with their final order as far as it was requested. The first page of a large result is
 * found on its own; a request for a second page puts all rows in order, because more pages will follow.
 */
import type { RowNumbers } from '../encoded-records.ts'
import type { RowOrder } from './indexes/row-orders.ts'
import { beginOfRun, type MatchingRows } from './matching-rows.ts'
import { firstInOrder } from './ordering/sort.ts'
import type { ColumnOrder } from './ordering/sort-keys.ts'
import type { Work } from './work.ts'

export class Selection {
  readonly total: number
  readonly #orders: readonly ColumnOrder[]
  readonly #allInOrder: (looksAt: number) => RowOrder | null
  /** Number of the first row when the rows are a run in default order; otherwise null. */
  readonly #runFrom: number | null
  /** Null once all rows are in order. */
  #rows: MatchingRows | null
  #ordered: Int32Array = new Int32Array(0)

  /** @param allInOrder returns all rows of the partition in this order if known; `looksAt`: how many rows a sort would read */
  constructor(
    rows: MatchingRows,
    orders: readonly ColumnOrder[],
    allInOrder: (looksAt: number) => RowOrder | null = () => null,
  ) {
    this.total = rows.total
    this.#orders = orders
    this.#allInOrder = allInOrder
    this.#runFrom = orders.length === 0 ? beginOfRun(rows) : null
    this.#rows = this.#runFrom === null ? rows : null
  }

  /** The rows of the result from place `from` up to `to`, which is excluded, as far as they exist. */
  *page(from: number, to: number): Work<RowNumbers> {
    const end = Math.min(to, this.total)
    const count = Math.max(0, end - from)
    if (count === 0) return { ids: null, from: 0, count }
    if (this.#runFrom !== null) return { ids: null, from: this.#runFrom + from, count }
    if (this.#rows === null || this.#ordered.length >= end) return { ids: this.#ordered, from, count }
    const isFirst = this.#ordered.length === 0 && end * SHORT_RESULT <= this.total
    const order = this.#rows.kind === 'listed' ? null : this.#allInOrder(this.total)
    const ids = yield* firstInOrder(this.#rows, this.#orders, isFirst ? end : this.total, order)
    // Another page may have been put in order while this work paused: never replace more rows by fewer.
    if (ids.length > this.#ordered.length) this.#ordered = ids
    if (this.#ordered.length === this.total) this.#rows = null
    return { ids, from, count }
  }

  /** The memory of the selection. */
  get byteLength(): number {
    return this.#ordered.byteLength + bytesOf(this.#rows)
  }
}

/** Results shorter than this many first pages are put in order as a whole. */
const SHORT_RESULT = 16

function bytesOf(rows: MatchingRows | null): number {
  if (rows?.kind === 'listed') return rows.ids.byteLength
  return rows?.kind === 'marked' ? rows.bits.byteLength : 0
}
