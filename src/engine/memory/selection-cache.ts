/**
 * The selections of one partition by the meaning of their query, the least recently used ones let go when together they
 * outgrow their share of memory. A partition never changes, so that nothing here is ever stale.
 */
import type { Selection } from './selection.ts'

export class SelectionCache {
  readonly #mostBytes: number
  readonly #kept = new Map<string, { readonly selection: Selection; readonly bytes: number }>()
  #bytes = 0

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes
  }

  get(key: string): Selection | undefined {
    return this.#kept.get(key)?.selection
  }

  /** Keeps a selection as the most recently used one, counting what it holds by now. */
  keep(key: string, selection: Selection): void {
    this.#letGo(key)
    const bytes = selection.byteLength + 2 * key.length + OVERHEAD
    this.#kept.set(key, { selection, bytes })
    this.#bytes += bytes
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= this.#mostBytes) return
      this.#letGo(oldest)
    }
  }

  #letGo(key: string): void {
    this.#bytes -= this.#kept.get(key)?.bytes ?? 0
    this.#kept.delete(key)
  }
}

/** What an entry costs besides its key and its rows, roughly. */
const OVERHEAD = 400
