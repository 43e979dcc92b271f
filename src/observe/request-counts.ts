/**
 * Requests by family of routes, as differences of the histogram that every thread keeps anyway: counting them costs a request
 * nothing. Percentiles are interpolated within a bucket of the histogram, so they are wrong by at most the width of the bucket.
 */

/** The histogram of requests, and the bounds of its buckets. */
export const REQUEST_SECONDS = 'tripfolio_http_request_duration_seconds'
export const requestSeconds = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30, 60, 300,
]

export const countedFamilies = ['v2', 'v1', 'dynamic', 'admin', 'events', 'other'] as const

type CountedFamily = (typeof countedFamilies)[number]

/** Probes and scrapes are not counted. */
export type RequestCounts = {
  /** Requests by duration: one number for each bound of `requestSeconds`, and one for longer ones. */
  readonly buckets: readonly number[]
  /** Answered with 500 or more. */
  readonly failures: number
  /** Answered with 400 to 499. */
  readonly refusals: number
}

export type CountsByFamily = Readonly<Partial<Record<CountedFamily, RequestCounts>>>

const probes: ReadonlySet<string> = new Set(['/livez', '/readyz', '/metrics'])

function familyOf(route: string): CountedFamily | null {
  if (probes.has(route)) return null
  const [, api, name = '', version = ''] = route.split('/')
  if (api !== 'api') return 'other'
  if (name === 'v1' || name === 'v2') return name
  const named = countedFamilies.find((family) => family === name && version === 'v1')
  return named ?? 'other'
}

type HistogramValue = {
  readonly metricName?: string
  readonly labels: Readonly<Record<string, string | number>>
  readonly value: number
}

/**
 * Everything that the threads have counted since they started.
 *
 * @param threads the metrics of each, as `metrics.ts` tells them
 */
export function countsIn(threads: readonly (readonly object[])[]): CountsByFamily {
  const counts: Partial<Record<CountedFamily, { buckets: number[]; failures: number; refusals: number }>> = {}
  for (const metric of threads.flat() as readonly { name: string; values: readonly HistogramValue[] }[]) {
    if (metric.name !== REQUEST_SECONDS) continue
    for (const { metricName, labels, value } of metric.values) {
      const family = familyOf(String(labels.route))
      if (family === null || metricName !== `${REQUEST_SECONDS}_bucket`) continue
      counts[family] ??= { buckets: none.buckets.slice(), failures: 0, refusals: 0 }
      const count = counts[family]
      const bound = labels.le === '+Inf' ? requestSeconds.length : requestSeconds.indexOf(Number(labels.le))
      count.buckets[bound] = (count.buckets[bound] ?? 0) + value
      if (bound < requestSeconds.length) continue
      const status = Number(labels.status)
      if (status >= 500) count.failures += value
      else if (status >= 400) count.refusals += value
    }
  }
  // In the histogram each bucket has the requests of the shorter ones, too.
  for (const count of Object.values(counts))
    count.buckets = count.buckets.map((value, i) => value - (count.buckets[i - 1] ?? 0))
  return counts
}

const none: RequestCounts = {
  buckets: new Array(requestSeconds.length + 1).fill(0),
  failures: 0,
  refusals: 0,
}

/** Families without a request in between are left out. */
export const countsBetween = (before: CountsByFamily, after: CountsByFamily): CountsByFamily =>
  combined(after, before, (now, then) => Math.max(0, now - then))

export const addCounts = (a: CountsByFamily, b: CountsByFamily): CountsByFamily =>
  combined(a, b, (one, other) => one + other)

function combined(
  a: CountsByFamily,
  b: CountsByFamily,
  combine: (one: number, other: number) => number,
): CountsByFamily {
  const all = countedFamilies.map((family) => {
    const [one, other] = [a[family] ?? none, b[family] ?? none]
    const counts: RequestCounts = {
      buckets: none.buckets.map((_, i) => combine(one.buckets[i] ?? 0, other.buckets[i] ?? 0)),
      failures: combine(one.failures, other.failures),
      refusals: combine(one.refusals, other.refusals),
    }
    return [family, counts] as const
  })
  return Object.fromEntries(all.filter(([, counts]) => requestsIn(counts) > 0))
}

export const requestsIn = ({ buckets }: RequestCounts): number =>
  buckets.reduce((sum, count) => sum + count, 0)

/**
 * The milliseconds within which this share of the requests was answered; null without requests. Of requests that took longer
 * than the last bound only that bound is known.
 */
export function percentileMs(counts: RequestCounts, share: number): number | null {
  const total = requestsIn(counts)
  if (total === 0) return null
  let rest = share * total
  for (const [i, inBucket] of counts.buckets.entries()) {
    const [lower, upper] = [requestSeconds[i - 1] ?? 0, requestSeconds[i]]
    if (upper === undefined) return 1000 * lower
    if (inBucket > 0 && rest <= inBucket) return roundMs(1000 * (lower + ((upper - lower) * rest) / inBucket))
    rest -= inBucket
  }
  return null
}

const roundMs = (milliseconds: number): number => Math.round(1000 * milliseconds) / 1000
