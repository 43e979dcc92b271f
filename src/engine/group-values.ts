/** How every engine finishes the values of groups: averages are rounded, and periods are written. */
import { DECIMAL_SCALE } from '../kernel/decimal.ts'
import type { AggregationPlan, DatePart } from '../query/aggregation.ts'
import { formatPeriod } from '../query/periods.ts'
import type { GroupValue } from './group-set.ts'

/**
 * The average scaled by 10^5, rounded half away from zero.
 *
 * @param sum of whole numbers, or of amounts that are scaled by 10^5 already
 */
export function averageOf(sum: number | bigint, count: number, isScaled: boolean): number {
  const scaled = BigInt(sum) * (isScaled ? 1n : BigInt(DECIMAL_SCALE))
  const by = BigInt(count)
  const magnitude = scaled < 0n ? -scaled : scaled
  const rounded = (2n * magnitude + by) / (2n * by)
  return Number(scaled < 0n ? -rounded : rounded)
}

/** A sum, as a number where it fits. */
export function sumOf(digits: string): number | bigint {
  const sum = Number(digits)
  return Number.isSafeInteger(sum) ? sum : BigInt(digits)
}

/** The groups of no records: none, or without dimensions one that is empty. */
export const groupsOfNothing = ({ dimensions, aggregates }: AggregationPlan): (readonly GroupValue[])[] =>
  dimensions.length > 0
    ? []
    : [aggregates.map(({ method }) => (method === 'count' || method === 'countdistinct' ? 0 : null))]

/** The value of a dimension: a year, the text of a period, or a day. */
export const periodValue = (part: DatePart, period: number): number | string =>
  part === 'year' || part === 'date' ? period : formatPeriod(part, period)
