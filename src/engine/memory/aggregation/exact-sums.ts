/**
 * Sums integers in doubles without an error, one sum per group. Below 2^52 an addition is exact; what goes beyond is carried
 * to another double, which counts multiples of 2^52.
 */

const CARRY = 2 ** 52

/** Up to this many groups have two sums each, so that both fit into the cache of a core. */
const FEW_GROUPS = 1 << 12

export class ExactSums {
  /** Between -2^52 and 2^52, like those of odd places. */
  readonly #low: Float64Array
  /** Sums of odd places, apart from those of even ones; null where all places have one sum. */
  readonly #odd: Float64Array | null
  readonly #high: Float64Array

  /** How many nulls were among the values of each sum. */
  readonly nulls: Int32Array

  constructor(groups: number) {
    this.#low = new Float64Array(groups)
    this.#odd = groups <= FEW_GROUPS ? new Float64Array(groups) : null
    this.#high = new Float64Array(groups)
    this.nulls = new Int32Array(groups)
  }

  /**
   * Adds the values in places from `from` up to `to` to the sums of their groups. Values are integers of at most 2^53.
   *
   * @param numbers the row number in each place; null when it is the place itself
   * @param none what null is among the values, besides NaN
   */
  add(
    values: Int32Array | Float64Array,
    numbers: Int32Array | null,
    none: number,
    groups: Int32Array,
    from: number,
    to: number,
  ): void {
    if (numbers === null && values instanceof Float64Array && Number.isNaN(none)) {
      this.#addNeighbours(values, groups, from, to)
      return
    }
    const low = this.#low
    for (let i = from; i < to; i++) {
      const value = values[numbers === null ? i : numbers[i]!]!
      const group = groups[i]!
      const sum = low[group]! + value
      // Not for NaN either.
      if (Math.abs(value) < CARRY && Math.abs(sum) < CARRY && value !== none) low[group] = sum
      else this.#addSeldom(low, group, value, none)
    }
  }

  /**
   * Like `add`, by place. Neighbours are added to two sums in turn: they often have the same group, and a sum that was just
   * written takes long to read again.
   */
  #addNeighbours(values: Float64Array, groups: Int32Array, from: number, to: number): void {
    const even = this.#low
    const odd = this.#odd ?? even
    let i = from
    for (; i + 1 < to; i += 2) {
      const value = values[i]!
      const group = groups[i]!
      const sum = even[group]! + value
      if (Math.abs(value) < CARRY && Math.abs(sum) < CARRY) even[group] = sum
      else this.#addSeldom(even, group, value, Number.NaN)
      const nextValue = values[i + 1]!
      const nextGroup = groups[i + 1]!
      const nextSum = odd[nextGroup]! + nextValue
      if (Math.abs(nextValue) < CARRY && Math.abs(nextSum) < CARRY) odd[nextGroup] = nextSum
      else this.#addSeldom(odd, nextGroup, nextValue, Number.NaN)
    }
    if (i < to) this.#addSeldom(even, groups[i]!, values[i]!, Number.NaN)
  }

  /** Any value, also null and what needs the other double. */
  #addSeldom(low: Float64Array, group: number, value: number, none: number): void {
    if (value === none || Number.isNaN(value)) {
      this.nulls[group] = this.nulls[group]! + 1
      return
    }
    const carried = Math.trunc(value / CARRY)
    const sum = low[group]! + (value - carried * CARRY)
    const again = sum >= CARRY ? 1 : sum <= -CARRY ? -1 : 0
    this.#high[group] = this.#high[group]! + carried + again
    low[group] = sum - again * CARRY
  }

  /** Between -2^53 and 2^53, where the addition is exact. */
  #lowOf(group: number): number {
    return this.#low[group]! + (this.#odd === null ? 0 : this.#odd[group]!)
  }

  /** A bigint where a double cannot hold the sum. */
  of(group: number): number | bigint {
    const high = this.#high[group]!
    const low = this.#lowOf(group) + 0
    if (high === 0) return low
    const sum = BigInt(high) * BigInt(CARRY) + BigInt(low)
    return Number.isSafeInteger(Number(sum)) ? Number(sum) : sum
  }

  /** Two doubles that order sums like the sums themselves: multiples of 2^52, and a rest that is not negative. */
  parts(group: number): readonly [high: number, low: number] {
    const low = this.#lowOf(group)
    const carried = Math.floor(low / CARRY)
    return [this.#high[group]! + carried, low - carried * CARRY]
  }
}
