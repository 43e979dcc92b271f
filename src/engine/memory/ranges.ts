/**
 * Sets of numbers as closed ranges: `[from0, to0, from1, to1, ...]`, ascending and disjoint. Dictionary codes, days, minutes,
 * integers and scaled amounts are all numbers, so every comparison of every column uses ranges.
 */
import type { Comparison } from '../../query/plan/plan-nodes.ts'

export type Ranges = readonly number[]

export const noRanges: Ranges = []

/**
 * The values for which the comparison with a number holds. The number is `floor`, or, when `exact` is false, a number between
 * `floor` and the next value of the domain. Open ends are infinite.
 */
export function comparedWith(comparison: Comparison, floor: number, exact: boolean): Ranges {
  return boundsOf[comparison](floor, exact)
}

const boundsOf: { readonly [C in Comparison]: (floor: number, exact: boolean) => Ranges } = {
  eq: (floor, exact) => (exact ? [floor, floor] : noRanges),
  gt: (floor) => [floor + 1, Infinity],
  ge: (floor, exact) => [exact ? floor : floor + 1, Infinity],
  lt: (floor, exact) => [-Infinity, exact ? floor - 1 : floor],
  le: (floor) => [-Infinity, floor],
}

/** The parts of the ranges between `low` and `high`. */
export function rangesWithin(ranges: Ranges, low: number, high: number): Ranges {
  const result: number[] = []
  for (let i = 0; i < ranges.length; i += 2) {
    const from = Math.max(ranges[i]!, low)
    const to = Math.min(ranges[i + 1]!, high)
    if (from <= to) result.push(from, to)
  }
  return result
}

/** The union of the ranges, which may overlap and be in any order. */
export function united(all: readonly Ranges[]): Ranges {
  const kept = all.filter((ranges) => ranges.length > 0)
  if (kept.length <= 1) return kept[0] ?? noRanges
  const pairs = kept.flatMap((ranges) => pairsOf(ranges)).sort((a, b) => a[0] - b[0])
  const result: number[] = []
  for (const [from, to] of pairs) addRange(result, from, to)
  return result
}

/** Appends a range that does not begin before the last one. */
export function addRange(ranges: number[], from: number, to: number): void {
  const last = ranges.length - 1
  if (last > 0 && from <= ranges[last]! + 1) ranges[last] = Math.max(ranges[last]!, to)
  else ranges.push(from, to)
}

/** The positions of the ones in a table. */
export function rangesOfTable(table: Uint8Array): Ranges {
  const ranges: number[] = []
  for (let at = 0; at < table.length; at++) {
    if (table[at] === 0) continue
    const from = at
    while (table[at + 1] === 1) at++
    ranges.push(from, at)
  }
  return ranges
}

/** A fast test whether a value is in one of many ranges. NaN is in none. */
export function membershipIn(ranges: Ranges): (value: number) => boolean {
  if (ranges.length === 0) return () => false
  const [low, high] = [ranges[0]!, ranges[ranges.length - 1]!]
  if (ranges.length === 2) return (value) => value >= low && value <= high
  const areSingle = ranges.every((value, i) => i % 2 === 0 || value === ranges[i - 1])
  return areSingle ? membershipAmong(ranges) : membershipByBuckets(ranges, low, high)
}

/** Single values, hashed into a table that stays mostly empty (NaN). */
function membershipAmong(ranges: Ranges): (value: number) => boolean {
  const bits = 32 - Math.clz32(2 * ranges.length)
  const slots = new Float64Array(1 << bits).fill(Number.NaN)
  const last = slots.length - 1
  const shift = 32 - bits
  for (let i = 0; i < ranges.length; i += 2) {
    let slot = Math.imul(ranges[i]! | 0, HASH_FACTOR) >>> shift
    while (!Number.isNaN(slots[slot])) slot = (slot + 1) & last
    slots[slot] = ranges[i]!
  }
  return (value) => {
    let slot = Math.imul(value | 0, HASH_FACTOR) >>> shift
    for (;;) {
      const member = slots[slot]!
      if (member === value) return true
      if (Number.isNaN(member)) return false
      slot = (slot + 1) & last
    }
  }
}

/** 2^32 divided by the golden ratio: spreads neighbouring values, and multiples, over the whole table. */
const HASH_FACTOR = 0x9e3779b1

/**
 * Divides the span into equal buckets; each bucket knows the few ranges that can contain its values. Rounding does no harm,
 * because it is monotonic and the same for ranges and values.
 */
function membershipByBuckets(ranges: Ranges, low: number, high: number): (value: number) => boolean {
  const count = ranges.length >>> 1
  const froms = Float64Array.from({ length: count }, (_, i) => ranges[2 * i]!)
  const tos = Float64Array.from({ length: count }, (_, i) => ranges[2 * i + 1]!)
  const buckets = Math.min(4 * count, MOST_BUCKETS)
  const first = Number.isFinite(low) ? low : tos[0]!
  const last = Number.isFinite(high) ? high : froms[count - 1]!
  const scale = last > first ? (buckets - 1) / (last - first) : 0
  const bucketOf = (value: number): number =>
    value <= first ? 0 : value >= last ? buckets - 1 : Math.floor((value - first) * scale)
  const firstRange = firstRangeOfBuckets(tos, buckets, bucketOf)
  return (value) => {
    if (!(value >= low && value <= high)) return false
    const bucket = bucketOf(value)
    let at = firstRange[bucket]!
    let end = firstRange[bucket + 1]!
    while (at < end) {
      const middle = (at + end) >>> 1
      if (tos[middle]! < value) at = middle + 1
      else end = middle
    }
    return at < count && froms[at]! <= value
  }
}

const MOST_BUCKETS = 1 << 16

/** For each bucket, the first range that ends in it or in a later bucket. */
function firstRangeOfBuckets(
  tos: Float64Array,
  buckets: number,
  bucketOf: (value: number) => number,
): Int32Array {
  const result = new Int32Array(buckets + 1)
  let range = 0
  for (let bucket = 0; bucket < buckets; bucket++) {
    while (range < tos.length && bucketOf(tos[range]!) < bucket) range++
    result[bucket] = range
  }
  result[buckets] = tos.length
  return result
}

function pairsOf(ranges: Ranges): readonly (readonly [from: number, to: number])[] {
  const pairs: [number, number][] = []
  for (let i = 0; i < ranges.length; i += 2) pairs.push([ranges[i]!, ranges[i + 1]!])
  return pairs
}
