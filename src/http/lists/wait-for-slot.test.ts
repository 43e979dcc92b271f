import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { Cancellation } from '../../kernel/cancellation.ts'
import { Admission, type AdmissionLimits } from '../../read/admission.ts'
import type { DataRequest } from '../../read/answer.ts'
import { account, apiKey, type Stage, standInAnswer, startServer, until } from '../testing/server.ts'

/** A server that computes one request at a time, with the given room for waiting ones. */
function startNarrow(t: TestContext, stage: Stage = {}, changes: Partial<AdmissionLimits> = {}) {
  const loop = {
    clock: () => performance.now(),
    delayMs: () => 0,
    nextTurn: (callback: () => void) => void setImmediate(callback),
  }
  const limits = { running: 1, runningOfOne: 1, waitingOfOne: 10, waitMs: 60_000, lateMs: 0, ...changes }
  const admission = new Admission(limits, loop)
  return startServer(t, { ...stage, admission }).then((server) => ({ ...server, admission }))
}

const ask = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${apiKey}\r\n\r\n`

describe('the slot of a request', () => {
  it('is free for other requests while a reader does not take its answer, and uncounted when the reader leaves', async (t) => {
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
    it(`is released when a request fails with ${status}: ${filter}`, async (t) => {
      const { admission, get } = await startNarrow(t)
      for (let times = 0; times < 3; times++) {
        assert.equal((await get(`/api/v2/bookings?$filter=${filter}`)).status, status)
      }
      assert.equal(admission.counts.running, 0)
      assert.equal((await get('/api/v2/bookings')).status, 200)
    })
  }

  it('is released when its caller leaves during the query, and goes to the next request that still waits', async (t) => {
    const begun: string[] = []
    const answer = async (request: DataRequest) => ({
      ...standInAnswer(request, 1, { chunks: 0, bytes: 0, ended: false }),
      execute: async (cancellation?: Cancellation) => {
        begun.push(request.parameters().join())
        // Like the engine: checks from time to time whether the caller still waits.
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

  it('is refused without harm when callers leave before the refusal is sent', async (t) => {
    const { admission, port, observations } = await startNarrow(t, {}, { waitingOfOne: 0 })
    const taken = admission.enter(account.accountId)
    const sockets = Array.from({ length: 30 }, (_, n) => {
      const socket = connect(port, '127.0.0.1')
      socket.write(ask(`/api/v2/bookings?x=${n}`))
      return socket
    })
    await until(() => admission.counts.refused.account === 30)
    for (const socket of sockets) socket.destroy()
    const answered = () => observations.filter(({ kind }) => kind === 'request-answered').length
    await until(() => answered() === 30)
    taken?.release()
    assert.ok(observations.every(({ kind }) => kind !== 'request-failed'))
    assert.deepEqual([admission.counts.running, admission.counts.waiting], [0, 0])
  })

  it('is awaited by few of the requests that arrive together; the others are read as those are answered', async (t) => {
    const count = 8000
    const { admission, port } = await startNarrow(t, {}, { waitingOfOne: 1 })
    const taken = admission.enter(account.accountId)
    const caller = connect(port, '127.0.0.1').setEncoding('latin1')
    let received = ''
    caller
      .on('error', () => undefined)
      .on('data', (text) => {
        received += text
      })
    for (let n = 0; n < count; n++) caller.write(ask(`/api/v2/bookings?x=${n}`))
    await until(() => admission.counts.refused.account > 0)
    let refused = 0
    while (refused !== admission.counts.refused.account) {
      refused = admission.counts.refused.account
      await wait(200)
    }
    assert.ok(refused < count / 4, `${refused} were refused although no refusal could be sent`)
    taken?.release()
    await until(() => received.split('HTTP/1.1 ').length > count)
    caller.destroy()
  })

  it('is not needed for an answer from the cache', async (t) => {
    const { admission, get } = await startNarrow(t)
    for (let times = 0; times < 2; times++) await (await get('/api/v2/bookings')).text()
    const taken = admission.enter(account.accountId)
    assert.ok(taken)
    assert.equal((await get('/api/v2/bookings')).status, 200)
    assert.equal(admission.counts.waiting, 0)
    taken.release()
  })
})
