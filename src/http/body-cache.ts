/**
 * Finished answer bodies that were asked for more than once, so that the next caller costs no query and no copying. The
 * key is the client and the entity tag, which changes with the client's data and with the meaning of the query: nothing
 * here is ever stale, and no client can meet another's bytes.
 */
import { RecencyCache } from '../kernel/recency-cache.ts'
import type { BodyPart } from './json-body.ts'

/** How many answers are remembered as asked for once. */
const MOST_SEEN = 10_000

export class BodyCache {
  readonly #kept: RecencyCache<Buffer>
  #seen = new Set<string>()

  constructor(mostBytes: number) {
    this.#kept = new RecencyCache(mostBytes)
  }

  get(key: string): Buffer | undefined {
    return this.#kept.get(key)
  }

  /** Keeps the body if it was offered before: most answers are never asked for again, and copying them would be in vain. */
  offer(key: string, parts: readonly BodyPart[]): void {
    if (!this.#seen.delete(key)) {
      if (this.#seen.size === MOST_SEEN) this.#seen = new Set()
      this.#seen.add(key)
      return
    }
    const body = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)))
    this.#kept.keep(key, body, body.byteLength + 2 * key.length)
  }
}
