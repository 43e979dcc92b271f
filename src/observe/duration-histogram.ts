/**
 * A Prometheus histogram for values that are observed several times per request. The client library looks up the labels of
 * each observation, which would cost more than the query that is measured; here one key finds the series, and an array
 * counts. The library treats it as an ordinary metric.
 */
import type { Metric, Registry } from 'prom-client'

export type DurationHistogram = { readonly observe: (key: string, seconds: number) => void }

type Series = { readonly counts: Float64Array; sum: number }

type Labels = Readonly<Record<string, string>>

type HistogramOptions = {
  readonly name: string
  readonly help: string
  /** Upper bounds of the buckets, in seconds. */
  readonly bounds: readonly number[]
  /** The labels of a key. */
  readonly labelsOf: (key: string) => Labels
}

export function durationHistogram(
  registry: Registry,
  { name, help, bounds, labelsOf }: HistogramOptions,
): DurationHistogram {
  const series = new Map<string, Series>()
  const open = (key: string): Series => {
    const opened = { counts: new Float64Array(bounds.length + 1), sum: 0 }
    series.set(key, opened)
    return opened
  }
  const get = async () => ({
    name,
    help,
    type: 'histogram',
    aggregator: 'sum',
    values: [...series].flatMap(([key, one]) => valuesOf(name, labelsOf(key), bounds, one)),
  })
  registry.registerMetric({ name, get } as unknown as Metric)
  return {
    observe: (key, seconds) => {
      const one = series.get(key) ?? open(key)
      let bucket = 0
      while (bucket < bounds.length && seconds > (bounds[bucket] as number)) bucket++
      one.counts[bucket] = (one.counts[bucket] as number) + 1
      one.sum += seconds
    },
  }
}

/** Buckets are cumulative; the last one has no bound and counts all values. */
function valuesOf(name: string, labels: Labels, bounds: readonly number[], { counts, sum }: Series) {
  let count = 0
  const buckets = [...counts].map((inBucket, i) => {
    count += inBucket
    return { metricName: `${name}_bucket`, labels: { ...labels, le: bounds[i] ?? '+Inf' }, value: count }
  })
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ]
}
