/**
 * The schedules of published endpoints: what operators do with them, and how the node that runs them claims a due time before the
 * run and notes its end. A due time is claimed by moving `handled_until` past it, in one transaction with the row of the run, so it
 * is run at most once, by whichever node and process.
 *
 *     due ---- claim ----> under way ---- end ----> last run
 *     asked for -- begin -----^  '--- release: nothing ran, and it is due or asked for again
 */
import type { Kysely } from 'kysely'
import type { ScheduleRunOutcome } from '../../schema/schedule-shapes.ts'
import { recordChange } from '../audit/audit.ts'
import type { ControlTables } from '../control-tables.ts'
import { unknownEndpoint } from '../endpoints/problems.ts'
import { isHeld } from '../holds/holds.ts'
import { later } from './follow-endpoint.ts'
import { scheduleIsOff, scheduleRuns, unknownSchedule } from './problems.ts'
import { type OpenRun, openRunOf, type StoredSchedule, scheduleOf } from './stored-schedule.ts'

/** Which schedule. Names match without regard to case. */
export type ScheduleKey = { readonly endpointId: string; readonly name: string }

/** A moment, who asks, and until when the run counts as alive. */
export type Claim = ScheduleKey & {
  readonly executionId: string
  readonly dueAt: string
  /** As it was read: refused if it has moved since. */
  readonly handledUntil: string
  readonly at: string
  readonly aliveUntil: string
}

export type Schedules = {
  /** By name of the endpoint, then by name; those of published versions, active or not. */
  readonly list: (endpointId?: string) => Promise<readonly StoredSchedule[]>
  /** @throws Problem DIR301, DIR471 */
  readonly find: (key: ScheduleKey) => Promise<StoredSchedule>
  /** Runs that wait or are under way, oldest first. */
  readonly openRuns: (endpointId?: string) => Promise<readonly OpenRun[]>
  /** Pausing a paused schedule, or resuming one that is not, changes nothing and leaves no audit entry. @throws as find */
  readonly setPaused: (key: ScheduleKey, paused: boolean, by: string, at: Date) => Promise<StoredSchedule>
  /** The node that runs schedules begins it soon. @throws as find, and Problem DIR472, DIR473 */
  readonly requestRun: (key: ScheduleKey, executionId: string, by: string, at: Date) => Promise<OpenRun>

  /** @returns the schedule as it is run; null when the due time is not for this node to run any more */
  readonly claim: (claim: Claim) => Promise<StoredSchedule | null>
  /** Drops due times up to this one. False when they were handled meanwhile. */
  readonly skip: (key: ScheduleKey, from: string, to: string) => Promise<boolean>
  /** Begins a run that was asked for. @returns the schedule as it is run; null while another run keeps it from beginning */
  readonly begin: (executionId: string, at: string, aliveUntil: string) => Promise<StoredSchedule | null>
  readonly renew: (executionIds: readonly string[], aliveUntil: string) => Promise<void>
  /** @returns failed runs in a row, this one included; null when another node has noted its end */
  readonly end: (outcome: ScheduleRunOutcome) => Promise<number | null>
  /** Undoes a claim whose run did not begin. @param handledUntil as it was before the claim; null for a run that was asked for */
  readonly release: (executionId: string, handledUntil: string | null) => Promise<void>
}

export const createSchedules = (db: Kysely<ControlTables>): Schedules => ({
  list: async (endpointId) => {
    const rows = selectSchedules(db).orderBy('endpoints.name_key').orderBy('schedules.name')
    const found = endpointId === undefined ? rows : rows.where('endpoint_id', '=', endpointId.toLowerCase())
    return (await found.execute()).map(scheduleOf)
  },
  find: (key) => find(db, key),
  openRuns: async (endpointId) => {
    const rows = db.selectFrom('schedule_runs').selectAll().orderBy('due_at').orderBy('execution_id')
    const found = endpointId === undefined ? rows : rows.where('endpoint_id', '=', endpointId.toLowerCase())
    return (await found.execute()).map(openRunOf)
  },
  setPaused: (key, paused, by, at) => setPaused(db, key, paused, { by, at: at.toISOString() }),
  requestRun: (key, executionId, by, at) => requestRun(db, key, executionId, { by, at: at.toISOString() }),
  claim: (due) => claim(db, due),
  skip: async ({ endpointId, name }, from, to) => {
    const row = db.updateTable('schedules').where('endpoint_id', '=', endpointId).where('name', '=', name)
    const { numUpdatedRows } = await row
      .set({ handled_until: to })
      .where('handled_until', '=', from)
      .executeTakeFirstOrThrow()
    return numUpdatedRows > 0n
  },
  begin: (executionId, at, aliveUntil) => begin(db, executionId, at, aliveUntil),
  renew: async (executionIds, aliveUntil) => {
    if (executionIds.length === 0) return
    const rows = db.updateTable('schedule_runs').where('execution_id', 'in', executionIds)
    await rows.set({ alive_until: aliveUntil }).where('begun_at', 'is not', null).execute()
  },
  end: (outcome) => end(db, outcome),
  release: (executionId, handledUntil) => release(db, executionId, handledUntil),
})

const selectSchedules = (db: Kysely<ControlTables>) =>
  db
    .selectFrom('schedules')
    .innerJoin('endpoints', 'endpoints.id', 'schedules.endpoint_id')
    .selectAll('schedules')
    .select('endpoints.name as endpoint_name')
    .where('schedules.definition', 'is not', null)
    .$narrowType<{ definition: string }>()

async function read(db: Kysely<ControlTables>, { endpointId, name }: ScheduleKey) {
  const rows = selectSchedules(db).where('endpoint_id', '=', endpointId.toLowerCase())
  const row = await rows.where('schedules.name', '=', name.toLowerCase()).executeTakeFirst()
  return row === undefined ? null : scheduleOf(row)
}

async function find(db: Kysely<ControlTables>, { endpointId, name }: ScheduleKey): Promise<StoredSchedule> {
  const found = await read(db, { endpointId, name })
  if (found !== null) return found
  const id = endpointId.toLowerCase()
  const endpoint = await db.selectFrom('endpoints').select('name').where('id', '=', id).executeTakeFirst()
  if (endpoint === undefined) throw unknownEndpoint(endpointId)
  const rows = selectSchedules(db).where('endpoint_id', '=', id).orderBy('schedules.name')
  const known = (await rows.execute()).map((one) => one.name)
  throw unknownSchedule(endpoint.name, name, known)
}

type Author = { readonly by: string; readonly at: string }

const setPaused = (
  db: Kysely<ControlTables>,
  key: ScheduleKey,
  paused: boolean,
  { by, at }: Author,
): Promise<StoredSchedule> =>
  db.transaction().execute(async (transaction) => {
    const { endpointId, schedule, pausedAt, handledUntil } = await find(transaction, key)
    if (paused !== (pausedAt !== null)) {
      const { name } = schedule
      // What was due during a pause was not missed.
      const change = paused
        ? { paused_at: at, paused_by: by }
        : { paused_at: null, paused_by: null, handled_until: later(handledUntil, at) }
      await ofOne(transaction, { endpointId, name }).set(change).execute()
      await recordChange(transaction, {
        at,
        actor: by,
        action: paused ? 'schedule.pause' : 'schedule.resume',
        subjectId: endpointId,
        before: { schedule: name, paused: !paused },
        after: { schedule: name, paused },
      })
    }
    return find(transaction, key)
  })

const requestRun = (
  db: Kysely<ControlTables>,
  key: ScheduleKey,
  executionId: string,
  { by, at }: Author,
): Promise<OpenRun> =>
  db.transaction().execute(async (transaction) => {
    const { endpointId, endpointName, version, isOn, schedule } = await find(transaction, key)
    const { name, overlap } = schedule
    if (!isOn) throw scheduleIsOff(endpointName, name)
    const open = await runsOf(transaction, { endpointId, name })
    // One at most waits, however often it is asked for.
    const other = open.find(({ begun_at }) => !overlap || begun_at === null)
    if (other !== undefined) throw scheduleRuns(name, other.execution_id)
    const row = { execution_id: executionId, endpoint_id: endpointId, schedule: name, version, due_at: at }
    await transaction
      .insertInto('schedule_runs')
      .values({ ...row, requested_by: by })
      .execute()
    await recordChange(transaction, {
      at,
      actor: by,
      action: 'schedule.run',
      subjectId: endpointId,
      before: null,
      after: { schedule: name, executionId },
    })
    return openRunOf({ ...row, requested_by: by, begun_at: null, alive_until: null })
  })

const claim = (
  db: Kysely<ControlTables>,
  { executionId, endpointId, name, dueAt, handledUntil, at, aliveUntil }: Claim,
): Promise<StoredSchedule | null> =>
  db.transaction().execute(async (transaction) => {
    const stored = await read(transaction, { endpointId, name })
    if (stored === null || !stored.isOn || stored.pausedAt !== null) return null
    if (stored.handledUntil !== handledUntil) return null
    if (await isHeld(transaction, ['schedules', 'outbound'])) return null
    const open = await runsOf(transaction, { endpointId, name })
    if (!stored.schedule.overlap && open.length > 0) return null
    await ofOne(transaction, { endpointId, name }).set({ handled_until: dueAt }).execute()
    await transaction
      .insertInto('schedule_runs')
      .values({
        execution_id: executionId,
        endpoint_id: endpointId,
        schedule: name,
        version: stored.version,
        due_at: dueAt,
        requested_by: null,
        begun_at: at,
        alive_until: aliveUntil,
      })
      .execute()
    return stored
  })

const begin = (
  db: Kysely<ControlTables>,
  executionId: string,
  at: string,
  aliveUntil: string,
): Promise<StoredSchedule | null> =>
  db.transaction().execute(async (transaction) => {
    const runs = transaction.selectFrom('schedule_runs').selectAll().where('execution_id', '=', executionId)
    const run = await runs.where('begun_at', 'is', null).executeTakeFirst()
    if (run === undefined) return null
    const key = { endpointId: run.endpoint_id, name: run.schedule }
    const stored = await read(transaction, key)
    if (stored === null || !stored.isOn || (await isHeld(transaction, ['outbound']))) return null
    const open = await runsOf(transaction, key)
    if (!stored.schedule.overlap && open.some(({ begun_at }) => begun_at !== null)) return null
    await transaction
      .updateTable('schedule_runs')
      .set({ version: stored.version, begun_at: at, alive_until: aliveUntil })
      .where('execution_id', '=', executionId)
      .execute()
    return stored
  })

const end = (db: Kysely<ControlTables>, outcome: ScheduleRunOutcome): Promise<number | null> =>
  db.transaction().execute(async (transaction) => {
    const ended = transaction.deleteFrom('schedule_runs').where('execution_id', '=', outcome.executionId)
    const run = await ended.returning(['endpoint_id', 'schedule']).executeTakeFirst()
    if (run === undefined) return null
    const { status } = outcome
    const row = await ofOne(transaction, { endpointId: run.endpoint_id, name: run.schedule })
      .set((is) => ({
        last_run: JSON.stringify(outcome),
        ...(status === 'Success' && { failures: 0 }),
        ...(status === 'Failed' && { failures: is('failures', '+', 1) }),
      }))
      .returning('failures')
      .executeTakeFirst()
    return row?.failures ?? null
  })

const release = (
  db: Kysely<ControlTables>,
  executionId: string,
  handledUntil: string | null,
): Promise<void> =>
  db.transaction().execute(async (transaction) => {
    if (handledUntil === null) {
      const run = transaction.updateTable('schedule_runs').where('execution_id', '=', executionId)
      await run.set({ begun_at: null, alive_until: null }).execute()
      return
    }
    const undone = transaction.deleteFrom('schedule_runs').where('execution_id', '=', executionId)
    const run = await undone.returning(['endpoint_id', 'schedule', 'due_at']).executeTakeFirst()
    if (run === undefined) return
    // Unless a later due time was handled meanwhile.
    await ofOne(transaction, { endpointId: run.endpoint_id, name: run.schedule })
      .set({ handled_until: handledUntil })
      .where('handled_until', '=', run.due_at)
      .execute()
  })

const ofOne = (db: Kysely<ControlTables>, { endpointId, name }: ScheduleKey) =>
  db.updateTable('schedules').where('endpoint_id', '=', endpointId).where('name', '=', name)

const runsOf = (db: Kysely<ControlTables>, { endpointId, name }: ScheduleKey) =>
  db
    .selectFrom('schedule_runs')
    .selectAll()
    .where('endpoint_id', '=', endpointId)
    .where('schedule', '=', name)
    .execute()
