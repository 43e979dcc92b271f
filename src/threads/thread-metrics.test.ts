import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createRequestMetrics, type MetricValues, metricsText } from '../observe/metrics.ts'
import { ThreadMetrics } from './thread-metrics.ts'

/** A thread that has counted this many rotations of keys. */
function threadWith(rotations: number): () => Promise<MetricValues> {
  const metrics = createRequestMetrics()
  for (let i = 0; i < rotations; i++) metrics.record({ kind: 'key-rotated', accountId: 'a' })
  return metrics.values
}

const rotationsIn = async (values: readonly MetricValues[]): Promise<number> =>
  Number(/^tripfolio_key_rotations_total (\d+)$/m.exec(await metricsText(values))?.[1])

describe('the metrics of threads', () => {
  it('never fall when threads end, even when another thread takes the number', async () => {
    const metrics = new ThreadMetrics()
    assert.equal(await rotationsIn(await metrics.collect([threadWith(5), threadWith(7)])), 12)
    await metrics.threadEnded(0)
    assert.equal(await rotationsIn(await metrics.collect([threadWith(1), threadWith(7)])), 13)
    await metrics.threadEnded(0)
    await metrics.threadEnded(1)
    assert.equal(await rotationsIn(await metrics.collect([threadWith(0), threadWith(0)])), 13)
  })

  it('include the last answer of a thread that cannot answer now', async () => {
    const metrics = new ThreadMetrics()
    await metrics.collect([threadWith(5), threadWith(7)])
    const silent = () => new Promise<never>(() => undefined)
    const gone = () => Promise.reject(new Error('gone'))
    assert.equal(await rotationsIn(await metrics.collect([silent, gone])), 12)
    assert.equal(await rotationsIn(await new ThreadMetrics().collect([threadWith(3), silent])), 3)
  })

  it('include no gauges of a thread that has ended', async () => {
    const metrics = new ThreadMetrics()
    const gauge = {
      name: 'g',
      help: 'h',
      type: 'gauge',
      aggregator: 'max',
      values: [{ labels: {}, value: 9 }],
    }
    await metrics.collect([async () => [gauge] as unknown as MetricValues])
    await metrics.threadEnded(0)
    assert.doesNotMatch(await metricsText(await metrics.collect([threadWith(0)])), /^g 9$/m)
  })
})
