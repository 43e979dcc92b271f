import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openRuns } from '../../testing/open-runs.ts'
import type { RunSnapshot } from '../query-records.ts'

const client = { clientNumber: 'C1', name: 'Harbour', bookings: 2, invoices: 3 }

const snapshot: RunSnapshot = {
  id: '20260102T030405678Z-1f3a',
  extractedAt: new Date('2026-01-02T03:04:05.678Z'),
  publishedAt: new Date('2026-01-02T03:06:00Z'),
  clients: async () => [client],
}

describe('what a run knows of its records', () => {
  it('is the snapshot that it reads, and the clients in it', async (t) => {
    const runs = await openRuns({ snapshot })
    t.after(runs.close)
    assert.deepEqual(await runs.answer('[GetDataAsOf(), GetClients()]'), [
      {
        snapshotId: '20260102T030405678Z-1f3a',
        extractedAt: '2026-01-02T03:04:05.678Z',
        publishedAt: '2026-01-02T03:06:00.000Z',
      },
      [client],
    ])
  })

  it('is nothing without a snapshot', async (t) => {
    const runs = await openRuns()
    t.after(runs.close)
    assert.deepEqual(await runs.answer('[GetDataAsOf(), GetClients()]'), [null, []])
  })

  it('may be unreadable, which fails the script', async (t) => {
    const clients = () => Promise.reject(new Error('a defect'))
    const runs = await openRuns({ snapshot: { ...snapshot, clients } })
    t.after(runs.close)
    const { execution } = await runs.run('GetClients()')
    assert.match(execution?.error?.message ?? '', /^GetClients failed in the service/)
  })
})
