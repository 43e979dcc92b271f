/**
 * Sums integers in doubles without an error, one sum per group. Below 2^52 an addition is exact; what goes beyond is carried
 * to a second double, which counts multiples of 2^52.
 */

const CARRY = 2 ** 52

export class ExactSums {
  readonly #low: Float64Array
  readonly #high: Float64Array

  /** How many nulls were among the values of each sum. */
  readonly nulls: Int32Array

  constructor(groups: number) {
    this.#low = new Float64Array(groups)
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
    const low = this.#low
    for (let i = from; i < to; i++) {
      const value = values[numbers === null ? i : numbers[i]!]!
      const group = groups[i]!
      const sum = low[group]! + value
      // Not for NaN either.
      if (value > -CARRY && value < CARRY && sum > -CARRY && sum < CARRY && value !== none) low[group] = sum
      else this.#addSeldom(group, value, none)
    }
  }

  /** Null, and what needs the second double. */
  #addSeldom(group: number, value: number, none: number): void {
    if (value === none || Number.isNaN(value)) {
      this.nulls[group] = this.nulls[group]! + 1
      return
    }
    const carried = Math.trunc(value / CARRY)
    const sum = this.#low[group]! + (value - carried * CARRY)
    const again = sum >= CARRY ? 1 : sum <= -CARRY ? -1 : 0
    this.#high[group] = this.#high[group]! + carried + again
    this.#low[group] = sum - again * CARRY
  }

  /** A bigint where a double cannot hold the sum. */
  of(group: number): number | bigint {
    const high = this.#high[group]!
    const low = this.#low[group]! + 0
    if (high === 0) return low
    const sum = BigInt(high) * BigInt(CARRY) + BigInt(low)
    return Number.isSafeInteger(Number(sum)) ? Number(sum) : sum
  }

  /** Two doubles that order sums like the sums themselves: multiples of 2^52, and a rest that is not negative. */
  parts(group: number): readonly [high: number, low: number] {
    const low = this.#low[group]!
    return low < 0 ? [this.#high[group]! - 1, low + CARRY] : [this.#high[group]!, low]
  }
}
