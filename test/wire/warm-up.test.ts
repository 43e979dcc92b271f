import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { beforeExecuting } from '../../src/engine/testing/wrapped-engine.ts'
import { warmClients, warmUp } from '../../src/read/warm-up.ts'
import type { Snapshot } from '../../src/snapshot/snapshot.ts'
import { fixtureExtract, harbour, limmat } from '../fixtures/fixture-extract.ts'
import { startService } from './start-service.ts'

const upTo = (mostBytes: number, snapshot: Snapshot) => ({
  mostBytes,
  mostClients: Infinity,
  byteLength: snapshot.byteLength,
})

describe('warming up', () => {
  it('loads and queries the collections of each client and version, without counting in the metrics', async (t) => {
    const { answering, observations, close } = await startService()
    t.after(close)
    let executed = 0
    const engine = beforeExecuting(answering.engine, () => executed++)
    const snapshot = answering.catalogue.current() as Snapshot
    const clients = [
      { clientNumber: harbour, versions: [2] },
      { clientNumber: limmat, versions: [2, 1] },
    ] as const
    await warmUp(snapshot, clients, upTo(2 ** 30, snapshot), { ...answering, engine })
    const loaded = observations.flatMap((o) =>
      o.kind === 'partition-loaded' ? [`${o.clientNumber} ${o.stored}`] : [],
    )
    assert.deepEqual(loaded, [
      'C100 bookings',
      'C100 invoices',
      'C200 bookings',
      'C200 invoices',
      'C200 bookings-v1',
      'C200 invoices-v1',
    ])
    assert.equal(executed, 10)
    assert.ok(observations.every(({ kind }) => kind !== 'stage-timed'))
  })

  it('continues after a query that exceeds the budget of a request', async (t) => {
    const { answering, observations, close } = await startService({ budget: { rowsScanned: 1, cpuMs: 1 } })
    t.after(close)
    const snapshot = answering.catalogue.current() as Snapshot
    await warmUp(snapshot, [{ clientNumber: harbour, versions: [2, 1] }], upTo(2 ** 30, snapshot), answering)
    assert.equal(observations.filter(({ kind }) => kind === 'partition-loaded').length, 4)
  })

  it('loads only what fits into the budget, and continues after a file that cannot be loaded', async (t) => {
    const { answering, observations, close } = await startService()
    t.after(close)
    const snapshot = answering.catalogue.current() as Snapshot
    const loads = () =>
      observations.flatMap((o) => (o.kind === 'partition-loaded' ? [`${o.clientNumber} ${o.stored}`] : []))
    const version2 = (clientNumber: string) => ({ clientNumber, versions: [2] as const })
    const both = [version2(harbour), version2(limmat)]
    await warmUp(snapshot, both, upTo(1, snapshot), answering)
    assert.deepEqual(loads(), [])
    const bytesOf = (clientNumber: string, stored: 'bookings' | 'invoices') =>
      snapshot.byteLength(clientNumber, stored)
    const budget = bytesOf(harbour, 'bookings') + bytesOf(limmat, 'invoices')
    assert.ok(bytesOf(harbour, 'invoices') > bytesOf(limmat, 'invoices'))
    assert.ok(bytesOf(limmat, 'bookings') > bytesOf(limmat, 'invoices'))
    await warmUp(snapshot, both, upTo(budget, snapshot), answering)
    assert.deepEqual(loads(), ['C100 bookings', 'C200 invoices'])
    const damaged = { ...snapshot, partition: () => Promise.reject(new Error('damaged')) }
    await warmUp(damaged, [version2(harbour)], upTo(2 ** 30, damaged), answering)
    assert.equal(loads().length, 2)
  })

  it('queries the records of the first clients only, and warms up changes of all', async (t) => {
    const { answering, close } = await startService()
    t.after(close)
    const queried = new Set<string>()
    const engine = {
      ...answering.engine,
      open: (...of: Parameters<typeof answering.engine.open>) => {
        queried.add(of[1])
        return answering.engine.open(...of)
      },
    }
    const clients = [
      { clientNumber: harbour, versions: [2] },
      { clientNumber: limmat, versions: [2, 1] },
    ] as const
    const budget = { mostBytes: 0, mostClients: 1, byteLength: () => 0 }
    const warmed: string[] = []
    const warmChanges = async (clientNumber: string, stored: string) => {
      warmed.push(`${clientNumber} ${stored}`)
      throw new Error('What cannot be warmed up does not end the rest')
    }
    const snapshot = answering.catalogue.current() as Snapshot
    await warmUp(snapshot, clients, budget, { ...answering, engine }, warmChanges)
    assert.deepEqual([...queried], [harbour])
    assert.deepEqual(warmed, ['C100 bookings', 'C100 invoices', 'C200 bookings', 'C200 invoices'])
  })

  it('ends when another snapshot becomes current', async (t) => {
    const { answering, observations, close, publish } = await startService()
    t.after(close)
    const snapshot = answering.catalogue.current() as Snapshot
    await publish(fixtureExtract)
    assert.notEqual(answering.catalogue.current(), snapshot)
    await warmUp(snapshot, [{ clientNumber: harbour, versions: [2] }], upTo(2 ** 30, snapshot), answering)
    assert.ok(observations.every(({ kind }) => kind !== 'partition-loaded'))
  })

  it('warms version 1 for clients with a psk, and nothing for accounts that are switched off', () => {
    const account = (clientNumber: string, active: boolean, pskIssuedAt: string | null) => ({
      clientNumber,
      active,
      pskIssuedAt,
    })
    const issued = '2026-01-01T00:00:00.000Z'
    assert.deepEqual(
      warmClients([
        account('A', true, null),
        account('B', true, null),
        account('A', true, issued),
        account('C', false, issued),
        account('B', false, issued),
      ]),
      [
        { clientNumber: 'A', versions: [2, 1] },
        { clientNumber: 'B', versions: [2] },
      ],
    )
  })
})
