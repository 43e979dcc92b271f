import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Observation } from '../observe/observation.ts'
import { loadReport } from './report-load.ts'

function simulated() {
  const state = { now: 0, running: 0, waiting: 0, delayMs: 0, account: 0, queue: 0, late: 0 }
  const observed: Observation[] = []
  const look = loadReport({
    counts: () => {
      const { running, waiting, account, queue, late } = state
      return { running, waiting, refused: { account, queue, late } }
    },
    eventLoopDelayMs: () => state.delayMs,
    observe: (observation) => observed.push(observation),
    clock: () => state.now,
  })
  /** Advances the clock by a second. */
  const next = (change: Partial<typeof state> = {}) => {
    Object.assign(state, change, { now: state.now + 1000 })
    look()
    return observed.splice(0)
  }
  return { next }
}

describe('the report of the load', () => {
  it('has the running and waiting requests, the delay of the event loop, and the refusals since the last report', () => {
    const { next } = simulated()
    next({ account: 5 })
    assert.deepEqual(next({ running: 2, waiting: 7, delayMs: 31, account: 8, late: 1 }), [
      {
        kind: 'load-measured',
        running: 2,
        waiting: 7,
        eventLoopDelayMs: 31,
        refused: { account: 3, queue: 0, late: 1 },
      },
    ])
  })

  it('summarises refusals: the first ones at once, the next ones every ten seconds', () => {
    const { next } = simulated()
    const summaries = []
    for (let second = 1; second <= 35; second++) {
      const refused = Math.min(Math.max(0, second - 2), 20) * 100
      for (const one of next({ account: refused })) {
        if (one.kind === 'requests-shed') summaries.push([second, one.refused.account, one.seconds])
      }
    }
    assert.deepEqual(summaries, [
      [3, 100, 1],
      [13, 1000, 10],
      [23, 900, 10],
    ])
  })

  it('has no summary when there are no refusals', () => {
    const { next } = simulated()
    assert.deepEqual(
      Array.from({ length: 30 }, () => next())
        .flat()
        .map(({ kind }) => kind),
      Array.from({ length: 30 }, () => 'load-measured'),
    )
  })
})
