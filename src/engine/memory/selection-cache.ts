/**
 * Keeps the selections of one partition by the meaning of their query, the most recently used ones, within a share of memory.
 * A partition never changes, so a selection is never stale.
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

  /** Does not count as a use. */
  has(key: string): boolean {
    return this.#kept.has(key)
  }

  /** Keeps a selection as the most recently used one, with its present size. */
  keep(key: string, selection: Selection): void {
    this.#kept.keep(key, selection, selection.byteLength + 2 * key.length + OVERHEAD)
  }
}

/** Roughly the bytes of an entry besides its key and its rows. */
const OVERHEAD = 400
