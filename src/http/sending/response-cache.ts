/**
 * Caches finished bodies that were requested more than once, so that the next request needs no query and no copying. The key
 * is the client and the entity tag of the representation, which changes with the client's data, the meaning of the query, the
 * format and the coding: an entry is never stale, and no client can get the bytes of another.
 */
import { LRUCache } from 'lru-cache'
import { type BufferedBody, joined } from './buffered-body.ts'

/** Most keys that are remembered as requested once. */
const MOST_SEEN = 10_000

/** Memory of the headers of a body. */
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

  /** Keeps the body if it was offered before: most answers are never requested again, and copying them would be wasted. */
  offer(key: string, { parts, byteLength, total, headers, links }: BufferedBody): void {
    if (!this.#seen.delete(key)) {
      if (this.#seen.size === MOST_SEEN) this.#seen = new Set()
      this.#seen.add(key)
      return
    }
    const size = byteLength + 2 * key.length + HEADER_BYTES
    this.#kept.set(key, { parts: [joined(parts)], byteLength, total, headers, links }, { size })
  }
}
