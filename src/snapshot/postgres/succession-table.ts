/**
 * Which snapshot became current when, as rows of a table: written in the transaction that switches, so each of them is true. As
 * steps they are on the coordinator of a cluster.
 */
import type { ClientBase } from 'pg'
import { beforeOf, type NewSuccession, nextMoment, type Succession } from '../changes/succession.ts'
import { RECORDS_SCHEMA } from './record-tables.ts'

const TABLE = `${RECORDS_SCHEMA}.successions`
export const STEPS_TABLE = `${RECORDS_SCHEMA}.steps`

/** Databases of earlier versions do not have the table. The caller holds the lock of refreshes. */
export async function createSuccessionTable(connection: ClientBase): Promise<void> {
  if (await hasTable(connection)) return
  await connection.query(`create table ${TABLE} (
    at timestamptz primary key,
    snapshot text collate "C" not null,
    before text collate "C",
    compared text collate "C",
    steps integer not null,
    unknown json not null
  )`)
  await connection.query(`comment on table ${TABLE} is 'which snapshot became current when'`)
}

const hasTable = async (connection: ClientBase): Promise<boolean> =>
  (await connection.query(`select to_regclass('${TABLE}') is not null as found`)).rows[0].found

/** To be called in the transaction that makes the snapshot current, before it does. */
export async function noteCurrent(
  connection: ClientBase,
  { snapshot, compared, steps, unknown }: Omit<NewSuccession, 'before'>,
): Promise<void> {
  const { rows } = await connection.query<{ now: Date; newest: Date | null; before: string | null }>(
    // Not the beginning of the transaction: it may have waited and written since, while callers read the snapshot before.
    `select clock_timestamp() as now, (select max(at) from ${TABLE}) as newest,
       (select id from ${RECORDS_SCHEMA}.snapshots join ${RECORDS_SCHEMA}.state on sequence = current) as before`,
  )
  const [{ now, newest, before }] = rows as [(typeof rows)[0]]
  const at = new Date(nextMoment(now.getTime(), newest?.getTime()))
  await connection.query(
    `insert into ${TABLE} (at, snapshot, before, compared, steps, unknown) values ($1, $2, $3, $4, $5, $6)`,
    [at, snapshot, beforeOf(before, newest?.getTime()), compared, steps, JSON.stringify(unknown)],
  )
}

/** In the order of their moments. */
export async function readSuccessions(connection: ClientBase): Promise<readonly Succession[]> {
  if (!(await hasTable(connection))) return []
  const { rows } = await connection.query<Omit<Succession, 'at'> & { readonly at: Date }>(
    `select at, snapshot, before, compared, unknown from ${TABLE} order by at`,
  )
  return rows.map((row) => ({ ...row, at: row.at.getTime() }))
}

/**
 * Removes the steps that are this many days older than the oldest snapshot, and first the successions that rely on them, also on
 * any that are missing.
 */
export async function removeOldSteps(connection: ClientBase, days: number): Promise<void> {
  const limit = `(select min(published_at) from ${RECORDS_SCHEMA}.snapshots) - make_interval(days => $1::integer)`
  await connection.query(
    `with kept as (
       select snapshot, count(*) as steps from ${STEPS_TABLE} where written_at >= ${limit} group by snapshot)
     delete from ${TABLE} as note where at < ${limit}
       or note.steps > coalesce((select kept.steps from kept where kept.snapshot = note.snapshot), 0)`,
    [days],
  )
  await connection.query(`delete from ${STEPS_TABLE} where written_at < ${limit}`, [days])
}
