import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { definition } from '../../directory/testing/endpoint-store.ts'
import type { Observation } from '../../observe/observation.ts'
import type { Schedule } from '../../schema/endpoint-shapes.ts'
import { queueFull, runCancelledFor, runLost, serviceStopping } from '../problems.ts'
import type { RunJob, RunScript } from '../runs/run-states.ts'
import { openRuns, type Runs } from '../testing/open-runs.ts'
import { ALIVE_MS, createScheduleRunner, type ScheduleRunner } from './run-schedules.ts'

const BY = 'operator:test'
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

let runs: Runs
let now: number
let jobs: RunJob[]
let observations: Observation[]
let runner: ScheduleRunner
before(async () => {
  runs = await openRuns({ now: () => now })
})

function prepareEachTest(): void {
  beforeEach(async () => {
    for (const { id } of await runs.store.endpoints.list()) await runs.store.endpoints.remove(id, BY)
    // The middle of a minute that is later than any publication of the test.
    now = (Math.floor(Date.now() / MINUTE_MS) + 2) * MINUTE_MS + 30_000
    jobs = []
    observations = []
    runner = runnerWith(runs.runJob)
  })
}

after(() => runs.close())

const runnerWith = (run: RunScript): ScheduleRunner =>
  createScheduleRunner({
    store: runs.store,
    history: runs.history,
    run: (job) => {
      jobs.push(job)
      return run(job)
    },
    observe: (observation) => void observations.push(observation),
    historyBodyBytes: 65_536,
    now: () => now,
  })

const minutely: Schedule = {
  ...{ name: 'minutely', cron: '* * * * *', timeZone: 'UTC', input: { to: ['ops'] } },
  ...{ missedRuns: 'skip', overlap: false },
}

async function publish(script: string, members: Partial<Schedule> = {}): Promise<string> {
  const draft = definition({
    ...{ method: null, path: null, allowedRoles: ['reports'] },
    ...{ script, schedules: [{ ...minutely, ...members }] },
  })
  const { id } = await runs.store.endpoints.create(draft, BY)
  await runs.store.endpoints.publish(id, BY)
  return id
}

const going = new AbortController().signal
async function look(by = runner): Promise<void> {
  await by.look(going)
  await by.idle()
}
const scheduleOf = (endpointId: string, name = 'minutely') => runs.store.schedules.find({ endpointId, name })
const minuteStart = () => new Date(Math.floor(now / MINUTE_MS) * MINUTE_MS).toISOString()

describe('a schedule that is due', () => {
  prepareEachTest()

  it('runs its script, which sees the schedule as its caller and the input as its body', async () => {
    const id = await publish('Data._payload = {user: GetCurrentUser(), request: Data.request}')
    await look()
    const [job, ...others] = jobs
    assert.deepEqual(others, [])
    const { lastRun } = await scheduleOf(id)
    assert.deepEqual(
      [lastRun?.status, lastRun?.executionId, lastRun?.dueAt, lastRun?.requestedBy, lastRun?.error],
      ['Success', job?.executionId, minuteStart(), null, null],
    )
    const execution = await runs.history.find(job?.executionId ?? '')
    assert.deepEqual(
      [execution?.type, execution?.status, execution?.method, execution?.path, execution?.principalId],
      ['ScheduledScript', 'Success', 'SCHEDULE', '/schedules/minutely', 'schedule:minutely'],
    )
    const { user, request } = JSON.parse(execution?.response.body ?? '')
    assert.deepEqual([user.principalId, user.roles], ['schedule:minutely', ['reports']])
    assert.deepEqual(request.body, { to: ['ops'] })
    assert.deepEqual(request.schedule, { name: 'minutely', dueAt: minuteStart() })
    assert.deepEqual(request.query, { dueAt: minuteStart() })
  })

  it('waits while schedules are held or the installation is quiet, and its policy decides what was missed', async () => {
    const held = { at: minuteStart(), by: BY, reason: 'the receiver moves' }
    for (const subject of ['schedules', 'outbound'] as const) {
      await publish('1', { missedRuns: 'all', name: `all-${subject}` })
      await runs.store.holds.hold(subject, held)
      for (let minutes = 0; minutes < 3; minutes++) {
        now += MINUTE_MS
        await look()
      }
      assert.equal(jobs.length, 0, subject)
      await runs.store.holds.resume(subject, BY, minuteStart())
      for (let looks = 0; looks < 9; looks++) await look()
      assert.ok(jobs.length >= 4, `${subject}: ${jobs.length}`)
      jobs = []
      for (const { id } of await runs.store.endpoints.list()) await runs.store.endpoints.remove(id, BY)
    }
  })

  it('runs once for each due time, and again at the next one', async () => {
    const id = await publish('Data._payload = 1')
    for (let i = 0; i < 3; i++) await look()
    assert.equal(jobs.length, 1)
    assert.deepEqual(await runs.store.schedules.openRuns(id), [])
    now += MINUTE_MS
    await look()
    assert.equal(jobs.length, 2)
    now -= 30_000
    await look()
    assert.equal(jobs.length, 2, 'not after a clock that was put back')
  })

  it('runs no draft, no former version and no inactive endpoint', async () => {
    const id = await publish('Data._payload = 1')
    const { draft } = await runs.store.endpoints.find(id)
    await runs.store.endpoints.saveDraft(id, { ...draft, schedules: [{ ...minutely, name: 'new' }] }, BY)
    await look()
    assert.equal(jobs[0]?.request.schedule?.name, 'minutely')
    await runs.store.endpoints.publish(id, BY)
    now += MINUTE_MS
    await look()
    assert.deepEqual([jobs.length, jobs[1]?.request.schedule?.name], [2, 'new'])
    await runs.store.endpoints.setActive(id, false, BY)
    now += MINUTE_MS
    await look()
    assert.equal(jobs.length, 2)
  })

  it('waits for the end of the run before, whose missed due times its policy decides about', async () => {
    const id = await publish('Data._payload = 1', { missedRuns: 'once' })
    const slow = Promise.withResolvers<void>()
    const slowRunner = runnerWith(async (job) => {
      await slow.promise
      return runs.runJob(job)
    })
    await slowRunner.look(going)
    for (let i = 0; i < 3; i++) {
      now += MINUTE_MS
      await slowRunner.renew()
      await slowRunner.look(going)
    }
    assert.equal(jobs.length, 1)
    slow.resolve()
    await slowRunner.idle()
    await look(slowRunner)
    await look(slowRunner)
    assert.equal(jobs.length, 2)
    assert.equal((await scheduleOf(id)).lastRun?.dueAt, minuteStart())
  })

  it('reports due times that it drops', async () => {
    await publish('Data._payload = 1', { cron: '0 0 * * *' })
    // Noon: the last due time is long over, at whatever time of the day this test runs.
    now = (Math.ceil(now / DAY_MS) + 2.5) * DAY_MS
    await look()
    assert.deepEqual(
      observations.map(({ kind }) => kind),
      ['schedule-skipped'],
    )
    assert.deepEqual(jobs, [])
  })

  it('runs beside one that cannot be read', async () => {
    await publish('Data._payload = 1', { timeZone: 'Mars/Base' })
    const id = await publish('Data._payload = 1')
    await assert.rejects(runner.look(going), /Mars\/Base/)
    await runner.idle()
    assert.equal((await scheduleOf(id)).lastRun?.status, 'Success')
  })
})

describe('a run that somebody asked for', () => {
  prepareEachTest()

  it('begins with the next look, also of a paused schedule, and names who asked', async () => {
    const id = await publish('Data._payload = 1')
    const key = { endpointId: id, name: 'minutely' }
    await runs.store.schedules.setPaused(key, true, BY, new Date())
    const executionId = crypto.randomUUID()
    await runs.store.schedules.requestRun(key, executionId, BY, new Date(now))
    await look()
    assert.deepEqual(
      jobs.map((job) => job.executionId),
      [executionId],
    )
    const { lastRun } = await scheduleOf(id)
    assert.deepEqual([lastRun?.executionId, lastRun?.requestedBy], [executionId, BY])
  })
})

describe('a run that fails', () => {
  prepareEachTest()

  it('is told to the operators with the third failure in a row, once', async () => {
    const id = await publish('fail "no mail server"')
    for (let i = 0; i < 5; i++) {
      await look()
      now += MINUTE_MS
    }
    const { failuresInARow, lastRun } = await scheduleOf(id)
    assert.equal(failuresInARow, 5)
    assert.match(lastRun?.error ?? '', /no mail server/)
    const [notice, ...others] = await runs.store.notifications.list('user:ops@example.com')
    assert.deepEqual(others, [])
    assert.match(notice?.message ?? '', /minutely.*3 times in a row.*no mail server/)
    assert.equal(notice?.createdBy, 'service:schedules')
  })

  for (const [what, refusal] of [
    ['the service stopped', serviceStopping()],
    ['the queue was full', queueFull(9, 1)],
  ] as const) {
    it(`is due again when ${what} before it began`, async () => {
      const id = await publish('Data._payload = 1')
      const { handledUntil } = await scheduleOf(id)
      await look(runnerWith(() => Promise.reject(refusal)))
      assert.equal((await scheduleOf(id)).handledUntil, handledUntil)
      await look()
      assert.equal((await scheduleOf(id)).lastRun?.status, 'Success')
    })
  }

  it('is not due again when an operator cancelled it before it began', async () => {
    const id = await publish('Data._payload = 1')
    const by = { kind: 'operator', by: BY } as const
    await look(runnerWith((job) => Promise.reject(runCancelledFor(by, job.executionId))))
    await look()
    const { lastRun } = await scheduleOf(id)
    assert.deepEqual([jobs.length, lastRun?.status], [1, 'Cancelled'])
    assert.equal((await runs.history.find(lastRun?.executionId ?? ''))?.error?.code, 'END105')
  })

  it('is recorded with its code when it was lost with its thread', async () => {
    const id = await publish('Data._payload = 1')
    await look(runnerWith((job) => Promise.reject(runLost(job.executionId, 'no memory'))))
    const { lastRun } = await scheduleOf(id)
    assert.equal((await runs.history.find(lastRun?.executionId ?? ''))?.error?.code, 'END103')
  })
})

describe('a run whose process ended', () => {
  prepareEachTest()

  /** The process ends with the call: nothing after it happens. */
  const killed = () =>
    runnerWith((job) => {
      jobs.splice(jobs.indexOf(job), 1)
      return new Promise(() => undefined)
    })

  it('is recorded as lost when its node has not said for a while that it is alive, and is not run again', async () => {
    const id = await publish('Data._payload = 1', { missedRuns: 'all' })
    await killed().look(going)
    const [run] = await runs.store.schedules.openRuns(id)
    now += ALIVE_MS - 1
    await look()
    assert.equal((await runs.store.schedules.openRuns(id)).length, 1)
    now += 2
    await look()
    const execution = await runs.history.find(run?.executionId ?? '')
    assert.deepEqual(
      [execution?.type, execution?.status, execution?.error?.code],
      ['ScheduledScript', 'Failed', 'END171'],
    )
    await look()
    const dueAgain = jobs.map(({ request }) => request.schedule?.dueAt)
    assert.ok(!dueAgain.includes(run?.dueAt ?? ''), String(dueAgain))
    assert.deepEqual(await runs.store.schedules.openRuns(id), [])
  })

  it('ends as its record says when it was killed between record and note', async () => {
    const id = await publish('Data._payload = 1')
    const recorded = Promise.withResolvers<void>()
    const dying = runnerWith(async (job) => {
      const { execution } = await runs.runJob(job)
      assert.ok(execution)
      await runs.history.record([execution])
      recorded.resolve()
      return new Promise(() => undefined)
    })
    await dying.look(going)
    await recorded.promise
    now += ALIVE_MS + 1
    await look()
    const { lastRun } = await scheduleOf(id)
    assert.deepEqual([lastRun?.executionId, lastRun?.status], [jobs[0]?.executionId, 'Success'])
  })
})
