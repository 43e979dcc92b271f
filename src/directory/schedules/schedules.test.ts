import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { EndpointDefinition, Schedule } from '../../schema/endpoint-shapes.ts'
import type { ControlStore } from '../control-store.ts'
import { BY, definition } from '../testing/endpoint-store.ts'
import { changesOf, makeStores, refusedWith } from '../testing/people-store.ts'
import type { Claim, ScheduleKey } from './schedules.ts'

const files = makeStores()
let store: ControlStore
let other: ControlStore
before(async () => {
  store = await files.open()
  other = await files.open()
})
after(() => files.remove())

const schedule = (members: Partial<Schedule> = {}): Schedule => ({
  name: 'nightly',
  cron: '0 2 * * *',
  timeZone: 'UTC',
  input: { to: ['ops'] },
  missedRuns: 'once',
  overlap: false,
  ...members,
})

/** Publishes an endpoint without a route. */
async function publish(members: Partial<EndpointDefinition> = {}): Promise<ScheduleKey> {
  const schedules = [schedule()]
  const draft = definition({ method: null, path: null, schedules, ...members })
  const { id } = await store.endpoints.create(draft, BY)
  await store.endpoints.publish(id, BY)
  return { endpointId: id, name: 'nightly' }
}

async function republish({ endpointId }: ScheduleKey, members: Partial<EndpointDefinition>): Promise<void> {
  const { draft } = await store.endpoints.find(endpointId)
  await store.endpoints.saveDraft(endpointId, { ...draft, ...members }, BY)
  await store.endpoints.publish(endpointId, BY)
}

const HOUR_MS = 3_600_000
/** Hours from now: later than any publication of the test. */
const later = (hours: number) => new Date(Date.now() + hours * HOUR_MS).toISOString()

let runs = 0
const nextId = () => `00000000-0000-7000-8000-${String(++runs).padStart(12, '0')}`

async function claimOf(key: ScheduleKey, members: Partial<Claim> = {}): Promise<Claim> {
  const { handledUntil } = await store.schedules.find(key)
  const [dueAt, at, aliveUntil] = [later(1), later(1), later(2)]
  return { ...key, executionId: nextId(), handledUntil, dueAt, at, aliveUntil, ...members }
}

const outcome = (executionId: string, status: 'Success' | 'Failed' | 'Cancelled') => ({
  ...{ executionId, status, dueAt: later(1), requestedBy: null, startedAt: later(1), endedAt: later(2) },
  error: status === 'Success' ? null : 'no luck',
})

describe('a schedule', () => {
  it('works from its publication on, which is up to when its due times are handled', async () => {
    const began = new Date().toISOString()
    const key = await publish()
    const { handledUntil, ...found } = await store.schedules.find(key)
    assert.ok(handledUntil >= began && handledUntil <= new Date().toISOString())
    const { name: endpointName } = (await store.endpoints.find(key.endpointId)).draft
    assert.deepEqual(found, {
      ...{ endpointId: key.endpointId, endpointName, version: 1, schedule: schedule() },
      ...{ isOn: true, pausedAt: null, pausedBy: null, lastRun: null, failuresInARow: 0 },
    })
  })

  it('may belong to a script without a route, but not to one with half a route', async () => {
    const half = definition({ method: 'GET', path: null, schedules: [schedule()] })
    await assert.rejects(store.endpoints.create(half, BY), refusedWith('DIR470', /found no path$/))
  })

  it('is listed by the names of endpoint and schedule, also for one endpoint', async () => {
    const schedules = [schedule({ name: 'b' }), schedule({ name: 'a' })]
    const { endpointId } = await publish({ name: 'zz Last', schedules })
    await publish({ name: 'AA First' })
    const names = (await store.schedules.list()).map((one) => `${one.endpointName} ${one.schedule.name}`)
    assert.equal(names[0], 'AA First nightly')
    assert.deepEqual(names.slice(-2), ['zz Last a', 'zz Last b'])
    assert.equal((await store.schedules.list(endpointId)).length, 2)
  })

  it('is found in any letter case, and refused when there is none', async () => {
    const { endpointId } = await publish()
    const found = await store.schedules.find({ endpointId: endpointId.toUpperCase(), name: 'NIGHTLY' })
    assert.equal(found.endpointId, endpointId)
    const missing = store.schedules.find({ endpointId, name: 'weekly' })
    await assert.rejects(missing, refusedWith('DIR471'))
    const unknown = store.schedules.find({ endpointId: crypto.randomUUID(), name: 'nightly' })
    await assert.rejects(unknown, refusedWith('DIR301'))
  })

  it('does not belong to drafts, and goes with a version without it, and with its endpoint', async () => {
    const { id } = await store.endpoints.create(definition({ schedules: [schedule()] }), BY)
    assert.deepEqual(await store.schedules.list(id), [])
    const key = await publish()
    await republish(key, { schedules: [schedule({ name: 'other' })] })
    assert.deepEqual(
      (await store.schedules.list(key.endpointId)).map((one) => one.schedule.name),
      ['other'],
    )
    await store.endpoints.remove(key.endpointId, BY)
    assert.deepEqual(await store.schedules.list(key.endpointId), [])
  })

  it('keeps its pause, its last run and its due times over a new version with the same times', async () => {
    const key = await publish()
    const claim = await claimOf(key)
    await store.schedules.claim(claim)
    await store.schedules.end(outcome(claim.executionId, 'Failed'))
    await store.schedules.setPaused(key, true, BY, new Date())
    const before = await store.schedules.find(key)
    await republish(key, { schedules: [schedule({ input: 2 })] })
    const after = await store.schedules.find(key)
    assert.deepEqual(after, { ...before, version: 2, schedule: schedule({ input: 2 }) })
    assert.equal(after.failuresInARow, 1)
    // A schedule of that name that comes back is the same one.
    await republish(key, { schedules: [schedule({ name: 'other' })] })
    await republish(key, { schedules: [schedule()] })
    assert.equal((await store.schedules.find(key)).pausedBy, BY)
  })

  const restarts: readonly (readonly [what: string, change: (key: ScheduleKey) => Promise<unknown>])[] = [
    ['other times', (key) => republish(key, { schedules: [schedule({ cron: '0 3 * * *' })] })],
    ['another time zone', (key) => republish(key, { schedules: [schedule({ timeZone: 'Asia/Tokyo' })] })],
    [
      'an activation',
      async ({ endpointId }) => {
        await store.endpoints.setActive(endpointId, false, BY)
        assert.equal((await store.schedules.list(endpointId))[0]?.isOn, false)
        await store.endpoints.setActive(endpointId, true, BY)
      },
    ],
    [
      'a resumption',
      async (key) => {
        await store.schedules.setPaused(key, true, BY, new Date())
        await store.schedules.setPaused(key, false, BY, new Date())
      },
    ],
  ]
  for (const [what, change] of restarts) {
    it(`counts its due times anew from ${what}`, async () => {
      const key = await publish()
      const { handledUntil } = await store.schedules.find(key)
      await store.schedules.skip(key, handledUntil, '2026-01-01T00:00:00.000Z')
      await change(key)
      assert.ok((await store.schedules.find(key)).handledUntil >= handledUntil)
    })
  }

  it('is paused and resumed, with one entry of the trail for each change', async () => {
    const key = await publish()
    const at = new Date('2026-03-01T10:00:00Z')
    const paused = await store.schedules.setPaused(key, true, BY, at)
    assert.deepEqual([paused.pausedAt, paused.pausedBy], [at.toISOString(), BY])
    await other.schedules.setPaused(key, true, 'operator:late', at)
    const resumed = await other.schedules.setPaused(key, false, BY, at)
    assert.deepEqual([resumed.pausedAt, resumed.pausedBy], [null, null])
    const entries = await changesOf(store, key.endpointId)
    assert.deepEqual(
      entries
        .filter(({ action }) => action.startsWith('schedule.'))
        .map(({ action, after }) => [action, after]),
      [
        ['schedule.pause', { schedule: 'nightly', paused: true }],
        ['schedule.resume', { schedule: 'nightly', paused: false }],
      ],
    )
  })
})

describe('a due time', () => {
  it('is claimed once, whoever asks and however often', async () => {
    const key = await publish()
    const claims = [await claimOf(key), await claimOf(key), await claimOf(key)]
    const all = [store, other, store].map(({ schedules }, i) => schedules.claim(claims[i] as Claim))
    const [first, ...more] = (await Promise.all(all)).filter((claimed) => claimed !== null)
    assert.equal(first?.version, 1)
    assert.deepEqual(more, [])
    const [run, ...others] = await store.schedules.openRuns(key.endpointId)
    assert.deepEqual(others, [])
    assert.equal(run?.dueAt, (await store.schedules.find(key)).handledUntil)
  })

  it('is not claimed while it is paused or inactive, while a run is open, or when it is gone', async () => {
    const key = await publish()
    await store.schedules.setPaused(key, true, BY, new Date())
    assert.equal(await store.schedules.claim(await claimOf(key)), null)
    await store.schedules.setPaused(key, false, BY, new Date())
    assert.notEqual(await store.schedules.claim(await claimOf(key)), null)
    assert.equal(await store.schedules.claim(await claimOf(key, { dueAt: later(3) })), null)
    await store.endpoints.setActive(key.endpointId, false, BY)
    assert.equal(await store.schedules.claim(await claimOf(key)), null)
    const gone = await claimOf(key)
    await store.endpoints.remove(key.endpointId, BY)
    assert.equal(await store.schedules.claim(gone), null)
  })

  it('is claimed while a run is open where runs may overlap', async () => {
    const key = await publish({ schedules: [schedule({ overlap: true })] })
    assert.notEqual(await store.schedules.claim(await claimOf(key)), null)
    assert.notEqual(await store.schedules.claim(await claimOf(key, { dueAt: later(3) })), null)
    assert.equal((await store.schedules.openRuns(key.endpointId)).length, 2)
  })

  it('is due again when its run did not begin', async () => {
    const key = await publish()
    const claim = await claimOf(key)
    await store.schedules.claim(claim)
    await store.schedules.release(claim.executionId, claim.handledUntil)
    assert.equal((await store.schedules.find(key)).handledUntil, claim.handledUntil)
    assert.deepEqual(await store.schedules.openRuns(key.endpointId), [])
  })

  it('is dropped only as long as nobody has handled it', async () => {
    const key = await publish()
    const { handledUntil } = await store.schedules.find(key)
    assert.equal(await store.schedules.skip(key, handledUntil, later(1)), true)
    assert.equal(await other.schedules.skip(key, handledUntil, later(2)), false)
  })
})

describe('a run that is asked for', () => {
  const ask = (key: ScheduleKey, by = BY) => store.schedules.requestRun(key, nextId(), by, new Date())

  it('waits until it is begun, once, and leaves an entry of the trail', async () => {
    const key = await publish()
    const { executionId, startedAt, requestedBy } = await ask(key)
    assert.deepEqual([startedAt, requestedBy], [null, BY])
    const begun = [store, other].map(({ schedules }) => schedules.begin(executionId, later(1), later(2)))
    assert.equal((await Promise.all(begun)).filter((one) => one !== null).length, 1)
    const [entry] = (await changesOf(store, key.endpointId)).filter(({ action }) => action === 'schedule.run')
    assert.deepEqual(entry?.after, { schedule: 'nightly', executionId })
    const { handledUntil } = await store.schedules.find(key)
    assert.ok(handledUntil < later(0), 'the due times stay as they are')
  })

  it('is refused while another is open, and of an inactive endpoint', async () => {
    const key = await publish()
    await ask(key)
    await assert.rejects(ask(key), refusedWith('DIR472'))
    await store.endpoints.setActive(key.endpointId, false, BY)
    assert.deepEqual(await store.schedules.openRuns(key.endpointId), [], 'goes with the activity')
    await assert.rejects(ask(key), refusedWith('DIR473'))
  })

  it('waits again when it did not begin, and waits for another run', async () => {
    const key = await publish({ schedules: [schedule({ overlap: true })] })
    const { executionId } = await ask(key)
    await store.schedules.begin(executionId, later(1), later(2))
    await store.schedules.release(executionId, null)
    const [waiting] = await store.schedules.openRuns(key.endpointId)
    assert.deepEqual([waiting?.startedAt, waiting?.aliveUntil], [null, null])
    await store.schedules.claim(await claimOf(key))
    await republish(key, { schedules: [schedule()] })
    assert.equal(await store.schedules.begin(executionId, later(1), later(2)), null)
  })

  it('goes with a schedule that goes', async () => {
    const key = await publish()
    await ask(key)
    await republish(key, { schedules: [schedule({ name: 'other' })] })
    assert.deepEqual(await store.schedules.openRuns(key.endpointId), [])
  })
})

describe('a due time while schedules, or all that goes out, are held', () => {
  const at = new Date().toISOString()

  it('is claimed by no node, and by one afterwards; a run that was asked for waits only for all that goes out', async () => {
    for (const subject of ['schedules', 'outbound'] as const) {
      const key = await publish({ schedules: [schedule({ overlap: true })] })
      const executionId = crypto.randomUUID()
      await store.schedules.requestRun(key, executionId, 'operator:test', new Date())
      await store.holds.hold(subject, { at, by: 'operator:test', reason: 'the receiver moves' })
      assert.equal(await other.schedules.claim(await claimOf(key)), null, subject)
      const begun = await other.schedules.begin(executionId, later(1), later(2))
      assert.equal(begun === null, subject === 'outbound', subject)
      await other.holds.resume(subject, 'operator:test', at)
      assert.notEqual(await other.schedules.claim(await claimOf(key)), null, subject)
    }
  })
})

describe('the end of a run', () => {
  it('is noted once, and counts failures up to the next success', async () => {
    const key = await publish()
    const counts: (number | null)[] = []
    for (const status of ['Failed', 'Failed', 'Cancelled', 'Success', 'Failed'] as const) {
      const claim = await claimOf(key)
      await store.schedules.claim(claim)
      counts.push(await store.schedules.end(outcome(claim.executionId, status)))
      assert.equal(await other.schedules.end(outcome(claim.executionId, 'Failed')), null)
      assert.equal((await store.schedules.find(key)).lastRun?.status, status)
    }
    assert.deepEqual(counts, [1, 2, 2, 0, 1])
  })

  it('is not near for a run whose node says that it is alive', async () => {
    const key = await publish()
    const claim = await claimOf(key)
    await store.schedules.claim(claim)
    await store.schedules.renew([claim.executionId], later(9))
    await store.schedules.renew([], later(9))
    const [run] = await store.schedules.openRuns(key.endpointId)
    assert.ok((run?.aliveUntil ?? '') > later(8))
  })
})
