/**
 * A cache for keys of which most are requested only once. A new value is on trial; when it is requested again, it moves to an
 * LRU cache. Values that are requested once do not evict values in use, and die young: thousands of values that the garbage
 * collector has to promote to the old generation before they die would cost more than they save.
 */
import { LRUCache } from 'lru-cache'

/** The most values in each of the two trial generations. */
const MOST_ON_TRIAL = 16

type Weighed<Value> = { readonly value: Value; readonly weight: number }

export class TrialCache<Value> {
  readonly #trialWeight: number
  readonly #proven: LRUCache<string, Weighed<Value>>
  /**
   * The values on trial form two generations; the older one is dropped as a whole. One map whose oldest keys are deleted would
   * hold the same values, but when V8 rehashes a map, the old table keeps its values and stays linked to the new one; once the
   * collector has promoted the first table, it treats all of them as alive.
   */
  #newest = new Map<string, Weighed<Value>>()
  #older = new Map<string, Weighed<Value>>()
  #newestWeight = 0

  /** @param mostWeight most weight of all values together; the values on trial get a quarter of it */
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

  /** Does not count as a request for the value. */
  has(key: string): boolean {
    return this.#newest.has(key) || this.#older.has(key) || this.#proven.has(key)
  }

  /** Replaces the value of the key. @param weight a positive integer */
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
