/** Minutes of requests, brought together to quarters of an hour: what the charts of the overview draw. */

/** As the API answers it. */
export type RequestMinute = {
  /** RFC 3339 */
  readonly minute: string
  readonly requests: number
  readonly failures: number
  readonly refusals: number
  readonly p50Ms: number | null
  readonly p95Ms: number | null
  readonly p99Ms: number | null
}

export type Bucket = {
  /** Milliseconds since the epoch. */
  readonly beginsAt: number
  readonly answered: number
  readonly refusals: number
  readonly failures: number
  /** Of the slowest minute; null without a request. */
  readonly p50Ms: number | null
  readonly p95Ms: number | null
  readonly p99Ms: number | null
}

const BUCKET_MS = 15 * 60_000
const BUCKETS = 96

/** @returns the quarters of the last 24 hours, oldest first, also those without a request */
export function bucketsOf(minutes: readonly RequestMinute[], nowMs = Date.now()): readonly Bucket[] {
  const newest = Math.floor(nowMs / BUCKET_MS)
  const byBucket = Map.groupBy(minutes, ({ minute }) => Math.floor(Date.parse(minute) / BUCKET_MS))
  return Array.from({ length: BUCKETS }, (_, index) => {
    const bucket = newest - BUCKETS + 1 + index
    return bucketOf(bucket * BUCKET_MS, byBucket.get(bucket) ?? [])
  })
}

function bucketOf(beginsAt: number, minutes: readonly RequestMinute[]): Bucket {
  const sum = (member: 'requests' | 'refusals' | 'failures') =>
    minutes.reduce((total, minute) => total + minute[member], 0)
  const slowest = (member: 'p50Ms' | 'p95Ms' | 'p99Ms') =>
    minutes.reduce<number | null>((most, minute) => larger(most, minute[member]), null)
  const refusals = sum('refusals')
  const failures = sum('failures')
  return {
    beginsAt,
    answered: sum('requests') - refusals - failures,
    refusals,
    failures,
    p50Ms: slowest('p50Ms'),
    p95Ms: slowest('p95Ms'),
    p99Ms: slowest('p99Ms'),
  }
}

const larger = (a: number | null, b: number | null): number | null =>
  a === null ? b : b === null ? a : Math.max(a, b)
