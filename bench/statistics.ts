/** The statistics of a bench run. Without values every figure is NaN. */

export const median = (values: readonly number[]): number => percentile(values, 0.5)

/** Nearest-rank percentile; `share` from 0 to 1. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
}

/** k of "grows as n^k" between two sizes: the slope of the line through both on paper with logarithmic axes. */
export const growthExponent = (
  from: { readonly size: number; readonly cost: number },
  to: { readonly size: number; readonly cost: number },
): number => Math.log(to.cost / from.cost) / Math.log(to.size / from.size)

/** Rounds to 3 significant digits, and from 100 on to whole numbers. */
export function rounded(value: number): number {
  if (!Number.isFinite(value)) return value
  return Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3))
}
