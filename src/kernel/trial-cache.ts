/**
 * Values by key, where most keys are never asked for again: a new value is on trial among the newest, and is kept for long
 * once it was asked for again. What comes only once pushes out nothing that is in use, and lives so shortly that the garbage
 * collector hardly notices: thousands of values that it has to move aside before they die would cost more than they save.
 */
import { LRUCache } from 'lru-cache'

/** Of each of the two generations. */
const MOST_ON_TRIAL = 16

type Weighed<Value> = { readonly value: Value; readonly weight: number }

export class TrialCache<Value> {
  readonly #trialWeight: number
  readonly #proven: LRUCache<string, Weighed<Value>>
  /**
   * On trial are the values of two generations, of which the older one is dropped as a whole. Taking keys out of one map as
   * others come in would do the same, but a map that is reorganised leaves its old table behind with all that was in it,
   * chained to its new one, and once the collector has moved the first of them aside it takes all of them for alive.
   */
  #newest = new Map<string, Weighed<Value>>()
  #older = new Map<string, Weighed<Value>>()
  #newestWeight = 0

  /** @param mostWeight of all values together; those on trial have a quarter of it */
  constructor(mostWeight: number) {
    this.#trialWeight = mostWeight / 8
    this.#proven = new LRUCache({ maxSize: Math.max(1, Math.floor(mostWeight - 2 * this.#trialWeight)) })
  }

  get(key: string): Value | undefined {
    const proven = this.#proven.get(key)
    if (proven !== undefined) return proven.value
    const found = this.#newest.get(key) ?? this.#older.get(key)
    if (found === undefined) return undefined
    this.#prove(key, found)
    return found.value
  }

  /** Without counting as asked for. */
  has(key: string): boolean {
    return this.#newest.has(key) || this.#older.has(key) || this.#proven.has(key)
  }

  /** In place of what was kept under the key. @param weight a positive integer */
  keep(key: string, value: Value, weight: number): void {
    if (this.#proven.has(key) || weight > this.#trialWeight) this.#prove(key, { value, weight })
    else this.#try(key, value, weight)
  }

  #prove(key: string, weighed: Weighed<Value>): void {
    this.#newest.delete(key)
    this.#older.delete(key)
    this.#proven.set(key, weighed, { size: weighed.weight })
  }

  #try(key: string, value: Value, weight: number): void {
    if (this.#newest.size === MOST_ON_TRIAL || this.#newestWeight + weight > this.#trialWeight) {
      this.#older = this.#newest
      this.#newest = new Map()
      this.#newestWeight = 0
    }
    this.#newest.set(key, { value, weight })
    this.#newestWeight += weight
  }
}
