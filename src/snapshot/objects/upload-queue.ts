/**
 * Uploads objects while the next ones are built. Bounded in number and in bytes, so that a slow storage slows the refresh down
 * and does not fill its memory.
 */
import type { ObjectContent, ObjectStore } from './object-store.ts'
import { storageAway } from './problems.ts'

const MOST_UPLOADS = 16
/** A larger object is uploaded alone. */
const MOST_BYTES = 64 * 2 ** 20

export class UploadQueue {
  readonly #store: ObjectStore
  readonly #problemOf: (cause: unknown) => unknown
  readonly #running = new Set<Promise<void>>()
  readonly #keys: string[] = []
  #bytes = 0
  #failure: unknown = null

  /** @param problemOf makes what is thrown when an upload has failed; SNP401 unless given */
  constructor(
    store: ObjectStore,
    problemOf: (cause: unknown) => unknown = (cause) => storageAway(store.name, cause),
  ) {
    this.#store = store
    this.#problemOf = problemOf
  }

  /** The keys of all uploads that were begun. */
  get keys(): readonly string[] {
    return this.#keys
  }

  /**
   * Begins an upload as soon as there is room for it.
   *
   * @throws Problem SNP401 when an earlier upload has failed
   */
  async add(key: string, content: ObjectContent): Promise<void> {
    while (
      this.#running.size >= MOST_UPLOADS ||
      (this.#bytes > 0 && this.#bytes + content.bytes > MOST_BYTES)
    ) {
      await Promise.race(this.#running)
    }
    this.#refuseFailure()
    this.#keys.push(key)
    this.#bytes += content.bytes
    const upload = this.#store
      .put(key, content)
      .catch((cause: unknown) => {
        this.#failure ??= cause
      })
      .finally(() => {
        this.#running.delete(upload)
        this.#bytes -= content.bytes
      })
    this.#running.add(upload)
  }

  /** Resolves when all uploads are stored. @throws Problem SNP401 when one has failed */
  async stored(): Promise<void> {
    await this.ended()
    this.#refuseFailure()
  }

  async ended(): Promise<void> {
    await Promise.all(this.#running)
  }

  #refuseFailure(): void {
    if (this.#failure !== null) throw this.#problemOf(this.#failure)
  }
}
