import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import type { Cancellation } from '../kernel/cancellation.ts'
import { Admission } from '../read/admission.ts'
import type { DataRequest } from '../read/answer.ts'
import { apiKey, type Stage, standInAnswer, startServer, until } from './test-server.ts'

/** A server that computes one request at a time, and lets as many wait as are asked. */
function startNarrow(t: TestContext, stage: Stage = {}) {
  const loop = {
    clock: () => performance.now(),
    delayMs: () => 0,
    nextTurn: (callback: () => void) => void setImmediate(callback),
  }
  const limits = { running: 1, runningOfOne: 1, waitingOfOne: 10, waitMs: 60_000, lateMs: 0 }
  const admission = new Admission(limits, loop)
  return startServer(t, { ...stage, admission }).then((server) => ({ ...server, admission }))
}

const ask = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${apiKey}\r\n\r\n`

describe('the slot of a request', () => {
  it('is free for others while a reader does not take its answer, and is no longer counted when it leaves', async (t) => {
    const { admission, get, port, pulled, observations } = await startNarrow(t, { recordCount: 60_000 })
    const reader = connect(port, '127.0.0.1')
    reader.pause()
    reader.write(ask('/api/v2/bookings'))
    await until(() => pulled.chunks > 0)
    assert.equal((await get('/api/v2/bookings?$pageSize=1')).status, 200)
    assert.equal(admission.counts.running, 0)
    reader.destroy()
    await until(() => observations.some((one) => one.kind === 'request-answered' && one.aborted))
  })

  const failures: readonly (readonly [filter: string, status: number])[] = [
    ['defect', 500],
    ['wrong', 400],
    ['damaged', 503],
  ]
  for (const [filter, status] of failures) {
    it(`comes back when a request fails with ${status}: ${filter}`, async (t) => {
      const { admission, get } = await startNarrow(t)
      for (let times = 0; times < 3; times++) {
        assert.equal((await get(`/api/v2/bookings?$filter=${filter}`)).status, status)
      }
      assert.equal(admission.counts.running, 0)
      assert.equal((await get('/api/v2/bookings')).status, 200)
    })
  }

  it('comes back when its caller leaves while it computes, and goes to the next one that still waits', async (t) => {
    const begun: string[] = []
    const answer = async (request: DataRequest) => ({
      ...standInAnswer(request, 1, { chunks: 0, bytes: 0, ended: false }),
      execute: async (cancellation?: Cancellation) => {
        begun.push(request.parameters().join())
        // As the engine does: looks now and then whether anybody still waits.
        if (begun.length === 1) {
          await until(() => cancellation?.aborted === true)
          throw new Error('cancelled')
        }
        return { total: 0, count: 0, chunks: () => [] }
      },
    })
    const { admission, port } = await startNarrow(t, { answer })
    const askAndWait = async (query: string, isThere: () => boolean) => {
      const socket = connect(port, '127.0.0.1')
      socket.write(ask(`/api/v2/bookings?${query}`))
      await until(isThere)
      return socket
    }
    const first = await askAndWait('x=1', () => begun.length === 1)
    const second = await askAndWait('x=2', () => admission.counts.waiting === 1)
    const third = await askAndWait('x=3', () => admission.counts.waiting === 2)
    second.destroy()
    await until(() => admission.counts.waiting === 1)
    first.destroy()
    const [answered] = await once(third, 'data')
    assert.match(String(answered), /^HTTP\/1\.1 200/)
    assert.deepEqual(begun, ['x,1', 'x,3'])
    third.destroy()
    assert.deepEqual([admission.counts.running, admission.counts.waiting], [0, 0])
  })

  it('is not needed for an answer that is sent once more', async (t) => {
    const { admission, get } = await startNarrow(t)
    for (let times = 0; times < 2; times++) await (await get('/api/v2/bookings')).text()
    const taken = admission.enter('0b7f4a52-8f0e-4c61-9d0c-3a5d0f6d9a11')
    assert.ok(taken)
    assert.equal((await get('/api/v2/bookings')).status, 200)
    assert.equal(admission.counts.waiting, 0)
    taken.giveBack()
  })
})
