/**
 * A Prometheus histogram for what is observed several times per request. The client library looks its labels up anew for
 * each observation, which would cost a request more than the query it measures; here a series is found by one key and
 * counted in an array.
 */
export type DurationHistogram = {
  readonly observe: (key: string, seconds: number) => void
  /** The text of this moment (https://prometheus.io/docs/instrumenting/exposition_formats/). */
  readonly text: () => string
}

type Series = { readonly counts: Float64Array; sum: number }

type HistogramOptions = {
  readonly name: string
  readonly help: string
  /** Upper bounds of the buckets, in seconds. */
  readonly bounds: readonly number[]
  /** The labels of a key as they stand in the text format, e.g. `stage="parse"`. */
  readonly labelsOf: (key: string) => string
}

export function durationHistogram({ name, help, bounds, labelsOf }: HistogramOptions): DurationHistogram {
  const series = new Map<string, Series>()
  const open = (key: string): Series => {
    const opened = { counts: new Float64Array(bounds.length + 1), sum: 0 }
    series.set(key, opened)
    return opened
  }
  return {
    observe: (key, seconds) => {
      const one = series.get(key) ?? open(key)
      let bucket = 0
      while (bucket < bounds.length && seconds > (bounds[bucket] as number)) bucket++
      one.counts[bucket] = (one.counts[bucket] as number) + 1
      one.sum += seconds
    },
    text: () =>
      [
        `# HELP ${name} ${help}`,
        `# TYPE ${name} histogram`,
        ...[...series].flatMap(([key, one]) => lines(name, labelsOf(key), bounds, one)),
        '',
      ].join('\n'),
  }
}

/** Buckets are cumulative, and the last one, without a bound, holds everything. */
function lines(name: string, labels: string, bounds: readonly number[], { counts, sum }: Series): string[] {
  let count = 0
  const buckets = [...counts].map((inBucket, i) => {
    count += inBucket
    return `${name}_bucket{${labels},le="${bounds[i] ?? '+Inf'}"} ${count}`
  })
  return [...buckets, `${name}_sum{${labels}} ${sum}`, `${name}_count{${labels}} ${count}`]
}
