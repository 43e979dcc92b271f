/**
 * The selections of one partition by the meaning of their query, for long if they are asked for again, and within a share of
 * memory. A partition never changes, so that nothing here is ever stale.
 */
import { TrialCache } from '../../kernel/trial-cache.ts'
import type { Selection } from './selection.ts'

export class SelectionCache {
  readonly #kept: TrialCache<Selection>

  constructor(mostBytes: number) {
    this.#kept = new TrialCache(mostBytes)
  }

  get(key: string): Selection | undefined {
    return this.#kept.get(key)
  }

  /** Without counting as asked for. */
  has(key: string): boolean {
    return this.#kept.has(key)
  }

  /** Keeps a selection as the most recently used one, counting what it holds by now. */
  keep(key: string, selection: Selection): void {
    this.#kept.keep(key, selection, selection.byteLength + 2 * key.length + OVERHEAD)
  }
}

/** What an entry costs besides its key and its rows, roughly. */
const OVERHEAD = 400
