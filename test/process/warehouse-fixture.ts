/** What tests of warehouses share. */
import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { Client } from 'pg'
import type { RefreshRequest, RefreshSummary } from '../../src/ingest/cycle.ts'
import { ask, untilRows } from '../../src/postgres/testing/postgres-server.ts'
import { extractTables } from '../../src/schema/extract-tables.ts'
import { type Folders, refresh } from './ingest-fixture.ts'

const LOCK = 4711

/** A mapping whose first table waits for a lock of the test. */
export async function waitingMapping(folder: string): Promise<string> {
  const path = join(folder, 'waiting.sql')
  const views = Object.keys(extractTables).map((table) => {
    const wait = table === 'clients' ? `, (select pg_advisory_lock_shared(${LOCK}) is null) as waited` : ''
    return `CREATE VIEW ${table} AS SELECT ${table}.* FROM ${table}${wait};`
  })
  await writeFile(path, views.join('\n'))
  return path
}

/**
 * The URL for a new role that may read all tables there are. Its rights on them go with the database.
 *
 * @param rights further ones, as options of CREATE ROLE; `OWNER` is the role of the URL
 */
export async function readerOf(t: TestContext, url: string, rights = ''): Promise<string> {
  const role = `reader_${randomBytes(6).toString('hex')}`
  const [{ owner } = { owner: '' }] = await ask<{ owner: string }>(
    url,
    'select quote_ident(current_user) as owner',
  )
  await ask(url, `create role ${role} login ${rights.replace('OWNER', owner)}`)
  t.after(() => ask(new URL('/postgres', url).href, `drop role ${role}`))
  await ask(url, `grant select on all tables in schema public to ${role}`)
  const changed = new URL(url)
  changed.username = role
  return changed.href
}

export type BlockedRefresh = {
  /** The server's process of the refresh. */
  readonly pid: number
  readonly release: () => Promise<RefreshSummary>
  readonly refreshing: Promise<RefreshSummary>
}

/** A refresh that has begun to read its first table, and waits in it. */
export async function blockedRefresh(
  t: TestContext,
  { source, data }: Folders,
  request: Partial<RefreshRequest> = {},
): Promise<BlockedRefresh> {
  const mapping = await waitingMapping(join(data, '..'))
  const holder = new Client({ connectionString: source })
  holder.on('error', () => undefined)
  await holder.connect()
  t.after(() => holder.end().catch(() => undefined))
  await holder.query(`select pg_advisory_lock(${LOCK})`)
  const refreshing = refresh({ source, data }, { mapping, ...request })
  refreshing.catch(() => undefined)
  const pid = await waitingIn(source, 'advisory')
  const release = async () => {
    await holder.query(`select pg_advisory_unlock(${LOCK})`)
    return refreshing
  }
  return { pid, release, refreshing }
}

/** Waits until the refresh's process of the server waits for this. @returns its id */
async function waitingIn(url: string, event: string): Promise<number> {
  const [found] = await untilRows<{ pid: number }>(
    url,
    `select pid from pg_stat_activity where application_name = 'tripfolio ingest' and wait_event = $1
     and datname = current_database()`,
    { values: [event] },
  )
  return found?.pid as number
}
