/**
 * The selections of one partition by the meaning of their query, the least recently used ones let go when together they
 * outgrow their share of memory. A partition never changes, so that nothing here is ever stale.
 */
import { RecencyCache } from '../../kernel/recency-cache.ts'
import type { Selection } from './selection.ts'

export class SelectionCache {
  readonly #kept: RecencyCache<Selection>

  constructor(mostBytes: number) {
    this.#kept = new RecencyCache(mostBytes)
  }

  get(key: string): Selection | undefined {
    return this.#kept.get(key)
  }

  /** Keeps a selection as the most recently used one, counting what it holds by now. */
  keep(key: string, selection: Selection): void {
    this.#kept.keep(key, selection, selection.byteLength + 2 * key.length + OVERHEAD)
  }
}

/** What an entry costs besides its key and its rows, roughly. */
const OVERHEAD = 400
