/**
 * Keeps the rows of schedules in step with their endpoint, in the transaction that publishes or switches it. A row belongs to the id
 * of the endpoint and the name of the schedule, so a pause and the last run survive a new version.
 *
 * Due times count from the moment at which a schedule began to work as it is: from its publication, from a new time, from the
 * activation of its endpoint. Nothing that was due before is missed. Runs that were asked for and wait go with what they were asked of.
 */
import type { Kysely } from 'kysely'
import type { Schedule } from '../../schema/endpoint-shapes.ts'
import type { ControlTables, ScheduleRow } from '../control-tables.ts'

type Published = {
  readonly id: string
  readonly version: number
  readonly active: boolean
  readonly schedules: readonly Schedule[]
}

export async function followPublication(
  transaction: Kysely<ControlTables>,
  { id, version, active, schedules }: Published,
  at: string,
): Promise<void> {
  const rows = await transaction.selectFrom('schedules').selectAll().where('endpoint_id', '=', id).execute()
  const known = new Map(rows.map((row) => [row.name, row]))
  const is_on = active ? 1 : 0
  for (const schedule of schedules) {
    const row = known.get(schedule.name)
    const content = { definition: JSON.stringify(schedule), version, is_on }
    if (row === undefined) {
      const values = { endpoint_id: id, name: schedule.name, ...content, handled_until: at, failures: 0 }
      await transaction.insertInto('schedules').values(values).execute()
    } else {
      const handled_until = hasSameTimes(row, schedule) ? row.handled_until : later(row.handled_until, at)
      await ofOne(transaction, id, schedule.name)
        .set({ ...content, handled_until })
        .execute()
    }
  }
  for (const name of known.keys()) {
    if (schedules.some((schedule) => schedule.name === name)) continue
    await ofOne(transaction, id, name).set({ definition: null, is_on: 0 }).execute()
    await waitingRuns(transaction, id).where('schedule', '=', name).execute()
  }
}

export async function followActivation(
  transaction: Kysely<ControlTables>,
  id: string,
  active: boolean,
  at: string,
): Promise<void> {
  const rows = transaction.updateTable('schedules').where('endpoint_id', '=', id)
  await rows
    .set({ is_on: active ? 1 : 0 })
    .where('definition', 'is not', null)
    .execute()
  if (active) await rows.set({ handled_until: at }).where('handled_until', '<', at).execute()
  else await waitingRuns(transaction, id).execute()
}

function hasSameTimes({ definition }: ScheduleRow, { cron, timeZone }: Schedule): boolean {
  if (definition === null) return false
  const before: Schedule = JSON.parse(definition)
  return before.cron === cron && before.timeZone === timeZone
}

export const later = (one: string, other: string): string => (one < other ? other : one)

const waitingRuns = (transaction: Kysely<ControlTables>, id: string) =>
  transaction.deleteFrom('schedule_runs').where('endpoint_id', '=', id).where('begun_at', 'is', null)

const ofOne = (transaction: Kysely<ControlTables>, id: string, name: string) =>
  transaction.updateTable('schedules').where('endpoint_id', '=', id).where('name', '=', name)
