/** The stream of live runs at the edge: how many there may be. What it tells is in `test/process/live-runs.test.ts`. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Admin, startAdmin } from './start-admin.ts'

const MOST_STREAMS = 100

let admin: Admin
const closing = new AbortController()
before(async () => {
  const nothing = () => new Promise<never>(() => undefined)
  admin = await startAdmin({
    live: {
      list: async () => ({ runs: [], silent: [] }),
      open: async () => ({ node: 'here', sequence: 0, runs: [] }),
      events: nothing,
      cancel: async () => [],
    },
  })
})
after(async () => {
  closing.abort()
  await admin.close()
})

describe('the streams of live runs', () => {
  it('are refused with ADM134 when all are in use', async () => {
    const open = () =>
      fetch(`${admin.url}/executions/live/stream`, {
        headers: { authorization: 'Bearer admin' },
        signal: closing.signal,
      })
    const streams = await Promise.all(Array.from({ length: MOST_STREAMS }, open))
    assert.ok(streams.every(({ status }) => status === 200))
    const refused = await open()
    assert.equal(refused.status, 503)
    await refused.arrayBuffer()
    const answered = admin.observations.filter(({ kind }) => kind === 'request-answered')
    assert.ok(answered.some((each) => 'problem' in each && each.problem === 'ADM134'))
  })
})
