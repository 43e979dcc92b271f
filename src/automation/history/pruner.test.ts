import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Retention } from '../../directory/history/history.ts'
import { startPruning } from './pruner.ts'

const retention = { days: 1, count: 10, bytes: 1000 }

describe('the pruning of the history', () => {
  it('takes steps until nothing is left to remove, and starts again later', async () => {
    const asked: Retention[] = []
    const { promise: twice, resolve } = Promise.withResolvers<void>()
    let left = 3
    let rounds = 0
    const stop = startPruning({
      history: {
        prune: async (given) => {
          asked.push(given)
          if (left > 0) return left--
          if (++rounds === 2) resolve()
          return 0
        },
      },
      retention,
      observe: () => assert.fail(),
      intervalMs: 1,
    })
    // Nothing else keeps the process alive.
    const alive = setInterval(() => undefined, 1000)
    await twice
    await stop()
    clearInterval(alive)
    assert.ok(asked.length >= 5)
    for (const given of asked) assert.equal(given, retention)
  })

  it('reports a failure, and tries again', async () => {
    const reasons: unknown[] = []
    const { promise: twice, resolve } = Promise.withResolvers<void>()
    const stop = startPruning({
      history: { prune: () => Promise.reject(new Error('the disk is full')) },
      retention,
      observe: (observation) => {
        reasons.push(observation)
        if (reasons.length === 2) resolve()
      },
      intervalMs: 1,
    })
    const alive = setInterval(() => undefined, 1000)
    await twice
    await stop()
    clearInterval(alive)
    assert.deepEqual(
      reasons.slice(0, 2),
      Array(2).fill({ kind: 'history-not-pruned', reason: 'the disk is full' }),
    )
  })
})
