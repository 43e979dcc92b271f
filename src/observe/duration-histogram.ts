/**
 * A Prometheus histogram for what is observed several times per request. The client library looks its labels up anew for
 * each observation, which would cost a request more than the query it measures; here a series is found by one text and
 * counted in an array.
 */
export type DurationHistogram = {
  /** `labels` as they stand in the text format, e.g. `stage="parse"`. */
  readonly observe: (labels: string, seconds: number) => void
  /** The text of this moment (https://prometheus.io/docs/instrumenting/exposition_formats/). */
  readonly text: () => string
}

type Series = { readonly counts: Float64Array; sum: number }

export function durationHistogram(name: string, help: string, bounds: readonly number[]): DurationHistogram {
  const series = new Map<string, Series>()
  const open = (labels: string): Series => {
    const opened = { counts: new Float64Array(bounds.length + 1), sum: 0 }
    series.set(labels, opened)
    return opened
  }
  return {
    observe: (labels, seconds) => {
      const one = series.get(labels) ?? open(labels)
      let bucket = 0
      while (bucket < bounds.length && seconds > (bounds[bucket] as number)) bucket++
      one.counts[bucket] = (one.counts[bucket] as number) + 1
      one.sum += seconds
    },
    text: () =>
      [
        `# HELP ${name} ${help}`,
        `# TYPE ${name} histogram`,
        ...[...series].flatMap(([labels, one]) => lines(name, labels, bounds, one)),
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
