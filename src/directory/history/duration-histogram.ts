/**
 * Counts durations in buckets, whose borders grow by a sixteenth of a doubling (4.4 %). So a percentile is at most 2.2 % away from
 * the true one, whatever the durations are, and two histograms can be added. Written as text, such as `53:12 54:3`: the number
 * of a bucket and its count, in ascending order.
 */

/** By the number of the bucket. */
export type DurationHistogram = ReadonlyMap<number, number>

const BUCKETS_PER_DOUBLING = 16

/** Shorter durations are in the first bucket, because they cannot be measured better. */
const SHORTEST_MS = 0.01

const bucketOf = (milliseconds: number): number =>
  Math.max(0, Math.floor(Math.log2(Math.max(milliseconds, SHORTEST_MS) / SHORTEST_MS) * BUCKETS_PER_DOUBLING))

/** The middle of a bucket on the logarithmic scale, to three significant digits more than it is exact. */
const middleOf = (bucket: number): number =>
  Number((SHORTEST_MS * 2 ** ((bucket + 0.5) / BUCKETS_PER_DOUBLING)).toPrecision(4))

export function countDuration(counts: Map<number, number>, milliseconds: number): void {
  const bucket = bucketOf(milliseconds)
  counts.set(bucket, (counts.get(bucket) ?? 0) + 1)
}

export function addHistograms(histograms: Iterable<DurationHistogram>): DurationHistogram {
  const counts = new Map<number, number>()
  for (const histogram of histograms) {
    for (const [bucket, count] of histogram) counts.set(bucket, (counts.get(bucket) ?? 0) + count)
  }
  return counts
}

/**
 * The nearest rank: the shortest duration within which at least `percent` % of the runs ended. Null without runs.
 */
export function percentileOf(histogram: DurationHistogram, percent: number): number | null {
  const buckets = [...histogram].sort(([a], [b]) => a - b)
  const total = buckets.reduce((sum, [, count]) => sum + count, 0)
  let left = Math.ceil((total * percent) / 100)
  for (const [bucket, count] of buckets) {
    left -= count
    if (left <= 0) return middleOf(bucket)
  }
  return null
}

export const histogramText = (histogram: DurationHistogram): string =>
  [...histogram]
    .sort(([a], [b]) => a - b)
    .map(([bucket, count]) => `${bucket}:${count}`)
    .join(' ')

export const readHistogram = (text: string): DurationHistogram =>
  new Map(
    text === ''
      ? []
      : text.split(' ').map((pair) => {
          const colon = pair.indexOf(':')
          return [Number(pair.slice(0, colon)), Number(pair.slice(colon + 1))]
        }),
  )
