/**
 * The transactions that decide which snapshot is current. Each locks the only row of `state` first, so they come one after
 * another, and a refresh that lost its lock to another one is refused.
 */
import type { DatabasePool } from '../../../postgres/connect.ts'
import type { StoredName } from '../../../schema/datasets.ts'
import type { NewSuccession } from '../../changes/succession.ts'
import { tablesLost } from '../../problems.ts'
import { RECORDS_SCHEMA } from '../record-tables.ts'
import { RECORDS_FORMAT, type SnapshotFacts } from '../snapshot-tables.ts'
import { createSuccessionTable, noteCurrent } from '../succession-table.ts'
import { refuseOvertaken } from './fence.ts'
import type { Collection } from './known-collections.ts'
import { lostTables } from './lost-tables.ts'

/** What differs between the newest snapshot and the one to publish. */
export type Changes = {
  /** Collections that are new, have other content or moved to another generation. Labels are given for new content. */
  readonly begun: readonly (Collection & { readonly labels?: readonly string[] })[]
  readonly ended: readonly Pick<Collection, 'clientNumber' | 'stored'>[]
  readonly named: readonly { readonly clientNumber: string; readonly name: string }[]
  readonly unnamed: readonly string[]
}

export type Publication = {
  /** Number of the refresh. */
  readonly refresh: number
  readonly snapshot: {
    readonly id: string
    readonly sequence: number
    readonly extractedAt: Date
    readonly facts: SnapshotFacts
  }
  readonly changes: Changes
  /** What is known of the steps that lead to the snapshot. */
  readonly recorded: Pick<NewSuccession, 'compared' | 'steps' | 'unknown'>
  /** The new generation; its number is null when nothing was written. */
  readonly written: {
    readonly number: number | null
    readonly rows: ReadonlyMap<StoredName, number>
  }
}

/** @throws Problem SNP203 when another refresh has begun since, SNP205 when tables with rows of the snapshot are gone */
export async function publishChanges(pool: DatabasePool, publication: Publication): Promise<void> {
  const { refresh, snapshot, changes, recorded, written } = publication
  const { sequence } = snapshot
  await pool.transaction(async (connection) => {
    const run = (sql: string, ...values: readonly unknown[]) => connection.query(sql, [...values])
    // The rows of the generation were committed without waiting for the disk. This commit waits for all before it.
    await run('set local synchronous_commit = on')
    await refuseOvertaken(connection, refresh)
    await run(
      `insert into ${RECORDS_SCHEMA}.snapshots (sequence, id, format, extracted_at, published_at, facts)
       values ($1, $2, ${RECORDS_FORMAT}, $3, now(), $4)`,
      sequence,
      snapshot.id,
      snapshot.extractedAt,
      JSON.stringify(snapshot.facts),
    )
    for (const [stored, count] of written.rows) {
      await run(
        `insert into ${RECORDS_SCHEMA}.generations (generation, stored, rows) values ($1, $2, $3)`,
        written.number,
        stored,
        count,
      )
    }
    // What ends comes first: a collection that changes ends and begins.
    for (const ended of slicesOf(changes.ended)) await run(END_DATA, JSON.stringify(ended), sequence)
    for (const begun of slicesOf(changes.begun)) await run(BEGIN_DATA, JSON.stringify(begun), sequence)
    await run(END_NAMES, changes.unnamed, sequence)
    for (const named of slicesOf(changes.named)) await run(BEGIN_NAMES, JSON.stringify(named), sequence)
    const [lost] = await lostTables(connection, 'valid_to is null')
    if (lost !== undefined) throw tablesLost(lost)
    await noteCurrent(connection, { snapshot: snapshot.id, ...recorded })
    await run(`update ${RECORDS_SCHEMA}.state set previous = current, current = $1`, sequence)
  })
}

/**
 * From now on the snapshot cannot be published any more, unless it is already: the connection may have broken after the server
 * received the commit.
 */
export async function isPublishedForGood(
  pool: DatabasePool,
  { refresh, id }: { readonly refresh: number; readonly id: string },
): Promise<boolean> {
  return pool.transaction(async (connection) => {
    await connection.query(`select from ${RECORDS_SCHEMA}.state for update`)
    await connection.query(`update ${RECORDS_SCHEMA}.state set refresh = refresh + 1 where refresh = $1`, [
      refresh,
    ])
    const { rowCount } = await connection.query(`select 1 from ${RECORDS_SCHEMA}.snapshots where id = $1`, [
      id,
    ])
    return rowCount === 1
  })
}

/**
 * Goes back to a retained snapshot. No refresh that began before can publish from now on.
 *
 * @param from number of the snapshot that the caller wants to go back from: another one that is current meanwhile stays
 */
export async function goBack(
  pool: DatabasePool,
  sequence: number,
  from: number | undefined,
): Promise<'done' | 'not-retained' | 'changed'> {
  return pool.transaction(async (connection) => {
    const { rows } = await connection.query(`select current from ${RECORDS_SCHEMA}.state for update`)
    if ((rows[0]?.current ?? undefined) !== from) return 'changed'
    if (sequence === from) return 'done'
    const { rows: wanted } = await connection.query<{ id: string }>(
      `select id from ${RECORDS_SCHEMA}.snapshots where sequence = $1`,
      [sequence],
    )
    if (wanted[0] === undefined) return 'not-retained'
    // Databases of earlier versions do not have the table.
    await createSuccessionTable(connection)
    await noteCurrent(connection, { snapshot: wanted[0].id, compared: null, steps: 0, unknown: [] })
    await connection.query(
      `update ${RECORDS_SCHEMA}.state set previous = current, current = $1, refresh = refresh + 1`,
      [sequence],
    )
    return 'done'
  })
}

/** Members of the JSON as columns. Only `labels` may have texts that PostgreSQL cannot store, so it stays JSON. */
const FROM_JSON = `json_to_recordset($1) as given ("clientNumber" text, stored text, version text, generation integer,
  rows integer, elements integer, bytes bigint, labels json, name text)`

const END_DATA = `
  update ${RECORDS_SCHEMA}.client_data as data set valid_to = $2 from ${FROM_JSON}
  where data.client_number = given."clientNumber" and data.stored = given.stored and data.valid_to is null`

/** Content that a retained snapshot has already keeps the labels of that row. */
const BEGIN_DATA = `
  insert into ${RECORDS_SCHEMA}.client_data
    (client_number, stored, version, generation, rows, elements, bytes, labels, valid_from)
  select "clientNumber", stored, version, generation, rows, elements, bytes,
    coalesce(labels, (select known.labels from ${RECORDS_SCHEMA}.client_data as known
      where known.client_number = given."clientNumber" and known.stored = given.stored
        and known.version = given.version limit 1)), $2
  from ${FROM_JSON}`

const END_NAMES = `
  update ${RECORDS_SCHEMA}.clients set valid_to = $2 where client_number = any ($1) and valid_to is null`

const BEGIN_NAMES = `
  insert into ${RECORDS_SCHEMA}.clients (client_number, name, valid_from)
  select "clientNumber", name, $2 from ${FROM_JSON}`

/** The first refresh begins the collections of all clients; one parameter must not become too large. */
const SLICE = 5000

function* slicesOf<T>(items: readonly T[]): Iterable<readonly T[]> {
  for (let from = 0; from < items.length; from += SLICE) yield items.slice(from, from + SLICE)
}
