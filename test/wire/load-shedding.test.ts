/**
 * One account floods the service with requests that must be computed; another one requests a page. A gate around the real
 * engine holds the computations back, so that no test depends on the speed of the machine.
 */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { Engine } from '../../src/engine/engine.ts'
import { beforeExecuting } from '../../src/engine/testing/wrapped-engine.ts'
import { assertProblem } from '../../src/http/testing/answered-problem.ts'
import { Admission, type AdmissionLimits } from '../../src/read/admission.ts'
import type { Snapshot } from '../../src/snapshot/snapshot.ts'
import { harbour, limmat } from '../fixtures/fixture-extract.ts'
import { startService } from './start-service.ts'

const limits: AdmissionLimits = {
  running: 3,
  runningOfOne: 2,
  waitingOfOne: 5,
  waitMs: 60_000,
  lateMs: 100,
}

/** The service with two accounts; computations for the first one wait until the gate is opened. */
async function startGated(t: TestContext, changes: Partial<AdmissionLimits> = {}) {
  const gate = Promise.withResolvers<void>()
  const held = new Set<string>()
  const load = { delayMs: 0 }
  const admission = new Admission(
    { ...limits, ...changes },
    {
      clock: () => performance.now(),
      delayMs: () => load.delayMs,
      nextTurn: (callback) => void setImmediate(callback),
    },
  )
  const wrapEngine = (engine: Engine<Snapshot>) =>
    beforeExecuting(engine, (cancellation) => (held.has(cancellation?.owner ?? '') ? gate.promise : null))
  const service = await startService({ admission, wrapEngine })
  t.after(() => {
    gate.resolve()
    return service.close()
  })
  const open = async (clientNumber: string, isHeld: boolean) => {
    const { account, apiKey } = await service.accounts.create({ clientNumber, name: 'Load' }, 'test')
    if (isHeld) held.add(account.id)
    let asked = 0
    return {
      get: (path: string, init: RequestInit = {}) =>
        fetch(`http://127.0.0.1:${service.port}${path}`, {
          ...init,
          headers: { 'X-API-Key': apiKey, ...init.headers },
        }),
      /** Sends a query that was never sent before. */
      fresh: (version: 1 | 2, init?: RequestInit) =>
        fetch(`http://127.0.0.1:${service.port}${freshPath(version, asked++)}`, {
          ...init,
          headers: { 'X-API-Key': apiKey },
        }),
    }
  }
  return { ...service, admission, load, gate, open }
}

const freshPath = (version: 1 | 2, n: number): string =>
  version === 2
    ? `/api/v2/bookings?$pageSize=5&$filter=${encodeURIComponent(`recordLocator ne 'X${n}'`)}`
    : `/api/v1/bookings?query=OriginatingAgency^NEnobody${n}`

const hang = 30_000

async function until(happened: () => boolean): Promise<void> {
  const deadline = performance.now() + hang
  while (!happened()) {
    if (performance.now() > deadline) throw new Error('The expected state was not reached in time')
    await wait(2)
  }
}

describe('an account that floods the service', () => {
  for (const version of [1, 2] as const) {
    it(`gets 429 with Retry-After beyond its share in version ${version}, while another account is answered`, async (t) => {
      const { admission, gate, open, observations } = await startGated(t)
      const [flooding, quiet] = [await open(harbour, true), await open(limmat, false)]
      const flood = Array.from({ length: 30 }, () => flooding.fresh(version))
      await until(() => admission.counts.refused.account === 23)
      assert.deepEqual([admission.counts.running, admission.counts.waiting], [2, 5])
      // No request of the flood is answered yet.
      for (let n = 0; n < 5; n++) assert.equal((await quiet.fresh(version)).status, 200)
      gate.resolve()
      const answers = await Promise.all(flood)
      const refused = answers.filter(({ status }) => status === 429)
      assert.equal(answers.filter(({ status }) => status === 200).length, 7)
      assert.equal(refused.length, 23)
      for (const answer of refused) {
        assert.equal(answer.headers.get('retry-after'), '1')
        assert.deepEqual(await answer.json(), {
          error:
            'Too many requests at once: an account may have 2 running and 5 waiting; ' +
            'send fewer at the same time, and retry after 1 second',
        })
      }
      await until(() => admission.counts.running === 0)
      const problems = observations.flatMap((one) =>
        one.kind === 'request-answered' && one.status === 429 ? [one.problem] : [],
      )
      assert.deepEqual(new Set(problems), new Set(['SRV117']))
      assert.ok(observations.every(({ kind }) => kind !== 'request-failed'))
    })
  }

  it('still gets answers that are known from before, and 304 for its valid copies', async (t) => {
    const { admission, gate, open } = await startGated(t, { waitingOfOne: 1 })
    const asking = await open(harbour, false)
    const path = freshPath(2, 1000)
    const etag = String((await asking.get(path)).headers.get('etag'))
    const [one, other] = [await open(harbour, true), await open(limmat, true)]
    // Other computations take every slot.
    const running = [one.fresh(2), one.fresh(2), other.fresh(2)]
    await until(() => admission.counts.running === 3)
    // Another page of a known selection.
    assert.equal((await asking.get(`${path}&$page=2`)).status, 200)
    const waiting = asking.fresh(2)
    await until(() => admission.counts.waiting === 1)
    assert.equal((await asking.fresh(2)).status, 503)
    assert.equal((await asking.get(path, { headers: { 'If-None-Match': etag } })).status, 304)
    assert.equal((await asking.get(path)).status, 200)
    gate.resolve()
    for (const answer of await Promise.all([...running, waiting])) assert.equal(answer.status, 200)
  })

  it('is refused before its query is read', async (t) => {
    const { admission, gate, open, observations } = await startGated(t, { waitingOfOne: 0 })
    const flooding = await open(harbour, true)
    const running = [flooding.fresh(2), flooding.fresh(2)]
    await until(() => admission.counts.running === 2)
    const parsed = () =>
      observations.filter((one) => one.kind === 'stage-timed' && one.stage === 'parse').length
    const before = parsed()
    assert.equal((await flooding.fresh(2)).status, 429)
    assert.equal(parsed(), before)
    gate.resolve()
    for (const answer of await Promise.all(running)) assert.equal(answer.status, 200)
  })

  it('frees the places of callers that leave', async (t) => {
    const { admission, gate, open } = await startGated(t, { waitingOfOne: 2 })
    const flooding = await open(harbour, true)
    const running = [flooding.fresh(2), flooding.fresh(2)]
    await until(() => admission.counts.running === 2)
    const leaving = new AbortController()
    const left = [1, 2].map(() => flooding.fresh(2, { signal: leaving.signal }).catch(() => 'left'))
    await until(() => admission.counts.waiting === 2)
    leaving.abort()
    assert.deepEqual(await Promise.all(left), ['left', 'left'])
    await until(() => admission.counts.waiting === 0)
    const waiting = [flooding.fresh(2), flooding.fresh(2)]
    await until(() => admission.counts.waiting === 2)
    gate.resolve()
    for (const answer of await Promise.all([...running, ...waiting])) assert.equal(answer.status, 200)
    await until(() => admission.counts.running === 0)
  })
})

describe('a request behind other requests', () => {
  it('is refused with 503 and Retry-After when it has waited too long', async (t) => {
    const { admission, gate, open, observations } = await startGated(t, { waitMs: 20 })
    const [one, other] = [await open(harbour, true), await open(limmat, true)]
    const flood = [one.fresh(2), one.fresh(2), other.fresh(2)]
    await until(() => admission.counts.running === 3)
    const answer = await (await open(limmat, false)).fresh(2)
    assert.equal(answer.status, 503)
    assert.equal(answer.headers.get('retry-after'), '1')
    assert.deepEqual(await answer.json(), {
      error: 'The service is busy with other requests; retry after 1 second',
    })
    await assertProblem(observations, answer, 'SRV118')
    assert.equal(admission.counts.waiting, 0)
    gate.resolve()
    for (const answered of await Promise.all(flood)) assert.equal(answered.status, 200)
    assert.ok(observations.every(({ kind }) => kind !== 'request-failed'))
  })
})

describe('a thread whose event loop is late', () => {
  it('refuses accounts that it is serving with 503, and still answers other accounts, probes and known queries', async (t) => {
    const { admission, gate, load, open, port, observations } = await startGated(t)
    const [busy, quiet] = [await open(harbour, true), await open(limmat, false)]
    const known = freshPath(2, 1000)
    await quiet.get(known)
    const running = busy.fresh(2)
    await until(() => admission.counts.running === 1)
    load.delayMs = 150
    const refused = await busy.fresh(2)
    assert.equal(refused.status, 503)
    assert.equal(refused.headers.get('retry-after'), '1')
    assert.deepEqual(await refused.json(), { error: 'The service is overloaded; retry after 1 second' })
    await assertProblem(observations, refused, 'SRV119')
    assert.equal((await quiet.fresh(2)).status, 200)
    load.delayMs = 1500
    const late = await quiet.fresh(2)
    assert.deepEqual([late.status, late.headers.get('retry-after')], [503, '2'])
    assert.equal((await quiet.get(known)).status, 200)
    assert.equal((await fetch(`http://127.0.0.1:${port}/livez`)).status, 200)
    assert.equal((await fetch(`http://127.0.0.1:${port}/readyz`)).status, 200)
    load.delayMs = 0
    assert.equal((await quiet.fresh(2)).status, 200)
    gate.resolve()
    assert.equal((await running).status, 200)
  })
})
