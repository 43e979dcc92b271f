/**
 * Finished answer bodies that were asked for more than once, so that the next caller costs no query and no copying. The
 * key is the client and the entity tag of the representation, which changes with the client's data, the meaning of the
 * query, the format and the coding: nothing here is ever stale, and no client can meet another's bytes.
 */
import { LRUCache } from 'lru-cache'
import { type BufferedBody, joined } from './buffered-body.ts'

/** How many answers are remembered as asked for once. */
const MOST_SEEN = 10_000

/** What a body's headers take, beside its bytes. */
const HEADER_BYTES = 300

export class ResponseCache {
  readonly #kept: LRUCache<string, BufferedBody>
  #seen = new Set<string>()

  constructor(mostBytes: number) {
    this.#kept = new LRUCache({ maxSize: mostBytes })
  }

  get(key: string): BufferedBody | undefined {
    return this.#kept.get(key)
  }

  /** Keeps the body if it was offered before: most answers are never asked for again, and copying them would be in vain. */
  offer(key: string, { parts, byteLength, headers }: BufferedBody): void {
    if (!this.#seen.delete(key)) {
      if (this.#seen.size === MOST_SEEN) this.#seen = new Set()
      this.#seen.add(key)
      return
    }
    const size = byteLength + 2 * key.length + HEADER_BYTES
    this.#kept.set(key, { parts: [joined(parts)], byteLength, headers }, { size })
  }
}
