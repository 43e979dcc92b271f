/**
 * Sums integers in doubles without an error, one sum per group. Below 2^52 an addition is exact; what goes beyond is carried
 * to a second double, which counts multiples of 2^52.
 */

const CARRY = 2 ** 52

export class ExactSums {
  readonly #low: Float64Array
  readonly #high: Float64Array

  constructor(groups: number) {
    this.#low = new Float64Array(groups)
    this.#high = new Float64Array(groups)
  }

  /** @param value an integer of at most 2^53 */
  add(group: number, value: number): void {
    let rest = value
    if (value >= CARRY || value <= -CARRY) {
      const carried = Math.trunc(value / CARRY)
      this.#high[group] = this.#high[group]! + carried
      rest = value - carried * CARRY
    }
    let sum = this.#low[group]! + rest
    if (sum >= CARRY || sum <= -CARRY) {
      const carried = sum > 0 ? 1 : -1
      this.#high[group] = this.#high[group]! + carried
      sum -= carried * CARRY
    }
    this.#low[group] = sum
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
