/**
 * Counts durations in buckets, whose borders grow by a sixteenth of a doubling (4.4 %). So a percentile is at most 2.2 % away from
 * the true one, whatever the durations are, and two histograms can be added. Written as text, such as `53:12 54:3`: the number
 * of a bucket and its count, in ascending order.
 */

/** The count of each bucket, by its number; the list ends with the last bucket that has one. */
export type DurationHistogram = readonly number[]

const BUCKETS_PER_DOUBLING = 16

/** Shorter durations are in the first bucket, because they cannot be measured better. */
const SHORTEST_MS = 0.01

/** The last bucket is for all that takes longer than ten years. */
const MOST_BUCKETS = 720

const bucketOf = (milliseconds: number): number =>
  milliseconds > SHORTEST_MS
    ? Math.min(Math.floor(Math.log2(milliseconds / SHORTEST_MS) * BUCKETS_PER_DOUBLING), MOST_BUCKETS - 1)
    : 0

/** The middle of a bucket on the logarithmic scale, to three significant digits more than it is exact. */
const middleOf = (bucket: number): number =>
  Number((SHORTEST_MS * 2 ** ((bucket + 0.5) / BUCKETS_PER_DOUBLING)).toPrecision(4))

export const countDuration = (counts: number[], milliseconds: number): void =>
  addTo(counts, bucketOf(milliseconds), 1)

/** Adds to a list without holes: those are slower. */
function addTo(counts: number[], bucket: number, count: number): void {
  while (counts.length <= bucket) counts.push(0)
  counts[bucket] = (counts[bucket] as number) + count
}

export function addHistograms(histograms: readonly DurationHistogram[]): DurationHistogram {
  const counts: number[] = []
  for (const histogram of histograms) {
    for (let bucket = 0; bucket < histogram.length; bucket++)
      addTo(counts, bucket, histogram[bucket] as number)
  }
  return counts
}

/**
 * The nearest rank: the shortest duration within which at least `percent` % of the runs ended. Null without runs.
 */
export function percentileOf(histogram: DurationHistogram, percent: number): number | null {
  const total = histogram.reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  let left = Math.ceil((total * percent) / 100)
  const bucket = histogram.findIndex((count) => {
    left -= count
    return count > 0 && left <= 0
  })
  return middleOf(bucket)
}

export function histogramText(histogram: DurationHistogram): string {
  let text = ''
  for (let bucket = 0; bucket < histogram.length; bucket++) {
    const count = histogram[bucket] as number
    if (count > 0) text += text === '' ? `${bucket}:${count}` : ` ${bucket}:${count}`
  }
  return text
}

const COLON = ':'.charCodeAt(0)
const SPACE = ' '.charCodeAt(0)
const ZERO = '0'.charCodeAt(0)

/** Digit by digit, because each batch of runs reads hundreds of numbers. */
export function readHistogram(text: string): DurationHistogram {
  const counts: number[] = []
  let bucket = 0
  let number = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === COLON) bucket = number
    else if (code === SPACE) addTo(counts, bucket, number)
    if (code === COLON || code === SPACE) number = 0
    else number = number * 10 + code - ZERO
  }
  if (text !== '') addTo(counts, bucket, number)
  return counts
}
