/**
 * Values by key, of which the least recently used are let go when all of them together weigh more than they may. What a
 * weight is (bytes, entries) is the user's business.
 */
export class RecencyCache<Value> {
  readonly #mostWeight: number
  /** The least recently used first: a map keeps the order in which its keys were set. */
  readonly #kept = new Map<string, { readonly value: Value; readonly weight: number }>()
  #weight = 0

  constructor(mostWeight: number) {
    this.#mostWeight = mostWeight
  }

  /** Of everything that is kept. */
  get weight(): number {
    return this.#weight
  }

  /** The value, which is the most recently used one from now on. */
  get(key: string): Value | undefined {
    const found = this.#kept.get(key)
    if (found === undefined) return undefined
    this.#kept.delete(key)
    this.#kept.set(key, found)
    return found.value
  }

  /** Without counting as a use. */
  has(key: string): boolean {
    return this.#kept.has(key)
  }

  /** Keeps a value as the most recently used one, in place of what was kept under the key. */
  keep(key: string, value: Value, weight: number): void {
    this.forget(key)
    this.#kept.set(key, { value, weight })
    this.#weight += weight
    for (const oldest of this.#kept.keys()) {
      if (this.#weight <= this.#mostWeight) return
      this.forget(oldest)
    }
  }

  forget(key: string): void {
    this.#weight -= this.#kept.get(key)?.weight ?? 0
    this.#kept.delete(key)
  }
}
