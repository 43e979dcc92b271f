import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { warmUp } from '../../src/read/warm-up.ts'
import type { Snapshot } from '../../src/snapshot/snapshot.ts'
import { harbour, limmat } from '../fixtures/fixture-extract.ts'
import { startService } from './start-service.ts'

describe('warming up', () => {
  it('loads both collections of each client and asks of them, without showing in the figures', async (t) => {
    const { answering, observations, close } = await startService()
    t.after(close)
    let executed = 0
    const engine: typeof answering.engine = {
      execute: (...plan) => {
        executed++
        return answering.engine.execute(...plan)
      },
    }
    const snapshot = answering.catalogue.current() as Snapshot
    await warmUp(snapshot, [harbour, limmat], 2 ** 30, { ...answering, engine })
    const loaded = observations.flatMap((o) =>
      o.kind === 'partition-loaded' ? [`${o.clientNumber} ${o.stored}`] : [],
    )
    assert.deepEqual(loaded, ['C100 bookings', 'C100 invoices', 'C200 bookings', 'C200 invoices'])
    assert.equal(executed, 8)
    assert.ok(observations.every(({ kind }) => kind !== 'stage-timed'))
  })

  it('stops when the budget is spent, and where a file cannot be loaded goes on', async (t) => {
    const { answering, observations, close } = await startService()
    t.after(close)
    const snapshot = answering.catalogue.current() as Snapshot
    const loads = () => observations.filter(({ kind }) => kind === 'partition-loaded').length
    await warmUp(snapshot, [harbour, limmat], 1, answering)
    assert.equal(loads(), 1)
    const damaged = { ...snapshot, partition: () => Promise.reject(new Error('damaged')) }
    await warmUp(damaged, [harbour], 2 ** 30, answering)
    assert.equal(loads(), 1)
  })
})
