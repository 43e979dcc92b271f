/**
 * Sums integers in doubles without an error, one sum per group. Below 2^52 an addition is exact; what goes beyond is carried
 * to a second double, which counts multiples of 2^52.
 */

const CARRY = 2 ** 52

export class ExactSums {
  readonly #low: Float64Array
  readonly #high: Float64Array

  /** How many values each sum has. */
  readonly counts: Int32Array

  constructor(groups: number) {
    this.#low = new Float64Array(groups)
    this.#high = new Float64Array(groups)
    this.counts = new Int32Array(groups)
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
    const [low, high, counts] = [this.#low, this.#high, this.counts]
    for (let i = from; i < to; i++) {
      const value = values[numbers === null ? i : numbers[i]!]!
      if (value === none || Number.isNaN(value)) continue
      const group = groups[i]!
      counts[group] = counts[group]! + 1
      let rest = value
      if (value >= CARRY || value <= -CARRY) {
        const carried = Math.trunc(value / CARRY)
        high[group] = high[group]! + carried
        rest = value - carried * CARRY
      }
      let sum = low[group]! + rest
      if (sum >= CARRY || sum <= -CARRY) {
        const carried = sum > 0 ? 1 : -1
        high[group] = high[group]! + carried
        sum -= carried * CARRY
      }
      low[group] = sum
    }
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
