/** Runs, their queue and a slow function together: real programs and stores, and records that come when the test says so. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openRuns } from '../testing/open-runs.ts'
import { RunQueue } from './run-queue.ts'

describe('a run that waits for records', () => {
  it('lets another run have its only place meanwhile', async () => {
    const found = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    const runs = await openRuns({
      query: async () => {
        asked.resolve()
        await found.promise
        return { count: 0, meta: null, chunks: () => [] }
      },
    })
    const queue = new RunQueue({ running: 1, existing: 2, runningOfOne: 1, waiting: 2, waitMs: 60_000 })
    const order: string[] = []
    const start = async (endpointId: string, script: string) => {
      const { response } = await queue.run(endpointId, undefined, (place) =>
        runs.run(script, { endpointId, place, limits: { milliseconds: 60_000 } }),
      )
      order.push(`${endpointId} ${response.body}`)
    }
    try {
      const slow = start('slow', 'Data._payload = QueryBookings("C1").count')
      await asked.promise
      await start('quick', 'Data._payload = 1 + 1')
      assert.deepEqual([order, queue.running, queue.away], [['quick 2'], 1, 1])
      found.resolve()
      await slow
      assert.deepEqual([order, queue.running, queue.away], [['quick 2', 'slow 0'], 0, 0])
    } finally {
      queue.close()
      await runs.close()
    }
  })
})
