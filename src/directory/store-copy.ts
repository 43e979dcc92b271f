/**
 * Copies the stores of a data folder into a PostgreSQL database: all tables in one transaction, which is committed when every
 * row has been read again and is the same. A copy that is stopped leaves nothing. A database that holds the same rows already
 * is only compared; one that holds others is left as it is.
 */
import type { PoolClient } from 'pg'
import { lockCall, tryAdvisoryLock } from '../postgres/advisory-locks.ts'
import { openPool } from '../postgres/connect.ts'
import { showDatabase } from '../postgres/database-url.ts'
import { identifier } from '../postgres/sql-names.ts'
import type { ControlTables } from './control-tables.ts'
import type { HistoryTables } from './history/history-tables.ts'
import { controlStorePath, historyPath, openStores } from './open-stores.ts'
import { readRows, writeRows } from './postgres/copied-tables.ts'
import { toParameter } from './postgres/postgres-dialect.ts'
import { numbers, STORE_SCHEMA } from './postgres/store-pools.ts'
import { copyDiffers, copyRunning, otherContent } from './problems.ts'
import { RowsDigest, type TableDigest } from './rows-digest.ts'
import { lockOutServices } from './service-lock.ts'
import { openTables, type StoredTables } from './sqlite/read-tables.ts'

type CopiedTable = TableDigest & { readonly store: StoreName; readonly table: string }

export type StoreCopy = {
  /** False when the database held the same rows already. */
  readonly copied: boolean
  readonly tables: readonly CopiedTable[]
}

type StoreName = keyof typeof tablesOf

/** A table stands after those that its rows refer to. */
const tablesOf = {
  control: tableNames<keyof ControlTables>({
    tenant: true,
    accounts: true,
    account_usage: true,
    kept_answers: true,
    audit: true,
    revisions: true,
    endpoints: true,
    endpoint_versions: true,
    organizations: true,
    deleted_organizations: true,
    key_checks: true,
    persons: true,
    person_organizations: true,
    facet_definitions: true,
    organization_facets: true,
    person_facets: true,
    secrets: true,
    notifications: true,
    notification_reads: true,
    published_snapshots: true,
    snapshot_drafts: true,
    webhooks: true,
    data_changes: true,
    data_change_counts: true,
    webhook_deliveries: true,
    event_progress: true,
    schedules: true,
    schedule_runs: true,
    script_state: true,
    modules: true,
    module_versions: true,
    requests_by_minute: true,
    refreshes: true,
    holds: true,
  }),
  // What services ask each other while they run is not copied.
  history: tableNames<Exclude<keyof HistoryTables, `live_${string}`>>({
    executions: true,
    execution_details: true,
    endpoint_days: true,
    kept: true,
    notepads: true,
    deliveries: true,
    endpoint_figures: true,
    rerun_jobs: true,
    rerun_items: true,
  }),
} as const

const pathOf = { control: controlStorePath, history: historyPath } as const

/**
 * @throws Problem DIR452 while a service runs on the data folder, DIR465 while another copy into the database runs, DIR466 when
 *   the database holds other rows, DIR467 when it does not return the rows that were written; DIR1xx and PGS1xx
 */
export async function copyToDatabase(dataFolder: string, url: string): Promise<StoreCopy> {
  const services = lockOutServices(dataFolder)
  try {
    // Both sides have the tables of this version then: stores of others are refused.
    await (await openStores(dataFolder, { control: { create: false } })).close()
    await (await openStores({ data: dataFolder, store: url })).close()
    return await withSources(dataFolder, (sources) => copyInto(url, sources))
  } finally {
    services.release()
  }
}

type Sources = Readonly<Record<StoreName, StoredTables>>

async function withSources<T>(dataFolder: string, work: (sources: Sources) => Promise<T>): Promise<T> {
  const control = await openTables(pathOf.control(dataFolder))
  try {
    const history = await openTables(pathOf.history(dataFolder))
    return await work({ control, history }).finally(history.close)
  } finally {
    control.close()
  }
}

async function copyInto(url: string, sources: Sources): Promise<StoreCopy> {
  const lock = await tryAdvisoryLock(url, 'store-copy')
  if (lock === null) throw copyRunning(showDatabase(url))
  const pool = openPool({
    url,
    use: 'tripfolio store copy',
    connections: 1,
    types: numbers,
    session: { search_path: STORE_SCHEMA },
  })
  try {
    return await pool.transaction(async (connection) => {
      // Nobody writes to the stores meanwhile.
      for (const name of ['control-writes', 'history-writes'] as const)
        await connection.query(`select ${lockCall('pg_advisory_xact_lock', name)}`)
      return (await isNew(connection)) ? copyAll(connection, sources, url) : compare(connection, sources, url)
    })
  } finally {
    await pool.close()
    await lock.release()
  }
}

async function copyAll(connection: PoolClient, sources: Sources, url: string): Promise<StoreCopy> {
  const tables: CopiedTable[] = []
  for (const { store, table, source } of everyTable(sources)) {
    const { columns } = source
    const written = new RowsDigest()
    if (table === 'kept') await connection.query('delete from kept')
    await writeRows(connection, { table, columns }, noting(written, source.rows()))
    const found = await digestIn(connection, table, columns)
    if (found.sha256 !== written.digest().sha256)
      throw copyDiffers(showDatabase(url), table, written.digest().rows, found.rows)
    tables.push({ store, table, ...found })
  }
  return { copied: true, tables }
}

/** @throws Problem DIR466 when any table differs */
async function compare(connection: PoolClient, sources: Sources, url: string): Promise<StoreCopy> {
  const tables: CopiedTable[] = []
  const others: string[] = []
  for (const { store, table, source } of everyTable(sources)) {
    const wanted = new RowsDigest()
    for (const _row of noting(wanted, source.rows()));
    const digest = wanted.digest()
    const found = await digestIn(connection, table, source.columns)
    if (found.sha256 !== digest.sha256)
      others.push(`${table} (${found.rows} rows there, ${digest.rows} to copy)`)
    tables.push({ store, table, ...found })
  }
  if (others.length > 0) throw otherContent(showDatabase(url), others)
  return { copied: false, tables }
}

/** A new history has one row, with totals of 0. */
async function isNew(connection: PoolClient): Promise<boolean> {
  const rowsOf = (table: string) =>
    table === 'kept' ? 'kept where executions + bytes + sequence > 0' : identifier(table)
  const found = [...tablesOf.control, ...tablesOf.history].map(
    (table) => `exists (select from ${rowsOf(table)})`,
  )
  const { rows } = await connection.query<{ filled: boolean }>(`select ${found.join(' or ')} as filled`)
  return rows[0]?.filled === false
}

function* everyTable(sources: Sources) {
  for (const store of ['control', 'history'] as const)
    for (const table of tablesOf[store]) yield { store, table, source: sources[store].table(table) }
}

/** The rows as the stores would write them. */
function* noting(digest: RowsDigest, rows: Iterable<readonly unknown[]>): Generator<readonly unknown[]> {
  for (const row of rows) {
    const values = row.map(toParameter)
    digest.add(values)
    yield values
  }
}

async function digestIn(
  connection: PoolClient,
  table: string,
  columns: readonly string[],
): Promise<TableDigest> {
  const digest = new RowsDigest()
  for await (const row of readRows(connection, { table, columns })) digest.add(row)
  return digest.digest()
}

/** An object, so that the compiler finds a table that is missing here. */
function tableNames<Table extends string>(tables: Readonly<Record<Table, true>>): readonly Table[] {
  return Object.keys(tables) as Table[]
}
