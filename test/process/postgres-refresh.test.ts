/** Refreshes into PostgreSQL that are killed, lose their server, run out of space or lose rows: what was current stays. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, it, type TestContext } from 'node:test'
import type { RefreshRequest } from '../../src/ingest/cycle.ts'
import { ask, startServer, testDatabase } from '../../src/postgres/testing/postgres-server.ts'
import { verifyPlaced } from '../../src/snapshot/postgres/placed-operations.ts'
import { openPostgresDestination } from '../../src/snapshot/postgres/publishing/postgres-destination.ts'
import { campaignSeed, repeated } from '../campaign.ts'
import type { ExtractTables } from '../fixtures/extract-rows.ts'
import { fixtureExtract } from '../fixtures/fixture-extract.ts'
import { largeExtract, withoutRecordsOf } from '../fixtures/large-extract.ts'
import { writeExtract } from '../fixtures/write-extract.ts'
import { type Folders, makeFolders, refresh } from './ingest-fixture.ts'

type Place = Folders & { readonly url: string }

async function placeFor(t: TestContext, extract: ExtractTables): Promise<Place> {
  const folders = await makeFolders(t)
  await writeExtract(folders.source, extract, 'csv')
  return { ...folders, url: (await testDatabase(t)).url }
}

async function refreshInto(place: Place, request: Partial<RefreshRequest> = {}) {
  const destination = openPostgresDestination(place.url, place.data)
  return refresh(place, { destination, ...request }).finally(destination.close)
}

const currentId = async ({ url }: Place): Promise<string | undefined> =>
  (
    await ask<{ id: string }>(
      url,
      `select id from tripfolio_records.snapshots
       where sequence = (select current from tripfolio_records.state)`,
    )
  )[0]?.id

/** Every retained snapshot has all of its rows. */
async function assertIntact({ url, data }: Place): Promise<void> {
  const destination = openPostgresDestination(url, data)
  const verified = await verifyPlaced(destination.pool).finally(destination.close)
  assert.ok(verified.length > 0)
  for (const { id, damaged } of verified) assert.deepEqual(damaged, [], id)
}

/** The numbers of the generations that have tables. */
const generationsOf = async ({ url }: Place): Promise<readonly number[]> =>
  (
    await ask<{ generation: number }>(
      url,
      `select distinct substring(tablename from '_g([0-9]+)')::integer as generation from pg_tables
       where schemaname = 'tripfolio_records' and tablename ~ '_g[0-9]+' order by 1`,
    )
  ).map(({ generation }) => generation)

const changed = (extract: ExtractTables, client: string): ExtractTables => ({
  ...extract,
  bookings: extract.bookings.map((row) =>
    row.client_number === client ? { ...row, originating_agency: 'Moved' } : row,
  ),
})

/** A refresh in a process of its own, which says on standard output how far it is. */
function refreshElsewhere({ source, data, url }: Place): ChildProcess {
  const module = (path: string) => JSON.stringify(new URL(`../../src/${path}`, import.meta.url).href)
  const code = `
    import { writeSync } from 'node:fs'
    import ${module('kernel/relative-imports.ts')}
    const { runRefresh } = await import(${module('ingest/cycle.ts')})
    const { openPostgresDestination } = await import(${module('snapshot/postgres/publishing/postgres-destination.ts')})
    const [source, dataFolder, url] = process.argv.slice(1)
    const destination = openPostgresDestination(url, dataFolder)
    await runRefresh({ source, dataFolder, destination, maxRejectShare: 0.05, retainSnapshots: 3, databaseThreads: 1,
      observe: () => undefined,
      onProgress: ({ stage, done }) => writeSync(1, stage + ' ' + done + '\\n') }).finally(destination.close)`
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', code]
  return spawn(process.execPath, [...args, source, data, url], { stdio: ['ignore', 'pipe', 'inherit'] })
}

/** Kills the refresh when it says this for the given time. @returns how long after that it died */
async function killedAt(place: Place, line: string, waitMs = 0): Promise<void> {
  const child = refreshElsewhere(place)
  const ended = once(child, 'exit')
  for await (const said of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    if (said === line) setTimeout(() => child.kill('SIGKILL'), waitMs)
  }
  await ended
  // The server notices at once that the connection of the lock is closed, but not in the same moment.
  const locks = `select 1 from pg_locks where locktype = 'advisory'
    and database = (select oid from pg_database where datname = current_database())`
  while ((await ask(place.url, locks)).length > 0) await new Promise(setImmediate)
}

describe('a refresh into PostgreSQL that is killed', () => {
  it('at any of its steps leaves an intact snapshot, and the next refresh works and cleans up', async (t) => {
    const place = await placeFor(t, fixtureExtract)
    const { snapshot } = await refreshInto(place)
    const before = await generationsOf(place)
    await writeExtract(place.source, changed(fixtureExtract, 'C100'), 'csv')
    for (const line of ['read 0', 'build 0']) {
      await killedAt(place, line)
      assert.equal(await currentId(place), snapshot)
    }
    // Publishing takes some time: indexes, then the transaction.
    for (const waitMs of repeated([[0, 30, 60][campaignSeed % 3] as number], [0, 30, 60])) {
      t.diagnostic(`killed ${waitMs} ms after publishing began`)
      await killedAt(place, 'publish 0', waitMs)
      await assertIntact(place)
    }
    const next = await refreshInto(place, { retainSnapshots: 1 })
    assert.equal(await currentId(place), next.snapshot)
    await assertIntact(place)
    assert.ok((await generationsOf(place)).length <= before.length + 1)
    assert.ok((await readdir(join(place.data, 'rejects'))).every((name) => !name.startsWith('.draft')))
  })
})

describe('a refresh into PostgreSQL whose server', () => {
  it('is killed publishes nothing, and the next one works', async (t) => {
    const folders = await makeFolders(t)
    await writeExtract(folders.source, fixtureExtract, 'csv')
    const server = await startServer()
    t.after(server.stop)
    const place = { ...folders, url: server.url }
    const { snapshot } = await refreshInto(place)
    await writeExtract(place.source, changed(fixtureExtract, 'C100'), 'csv')
    let killing: Promise<void> | undefined
    const onProgress: RefreshRequest['onProgress'] = ({ stage }) => {
      if (stage === 'build') killing ??= server.kill()
    }
    await assert.rejects(refreshInto(place, { onProgress }), { code: 'PGS101' })
    await killing
    assert.ok(existsSync(join(place.data, 'last-refusal', 'refusal.json')))
    await server.start()
    assert.equal(await currentId(place), snapshot)
    await assertIntact(place)
    const next = await refreshInto(place)
    assert.equal(await currentId(place), next.snapshot)
    assert.equal(next.clients.unchanged, next.clients.total - 1)
  })

  it('has no space left publishes nothing and leaves no table', async (t) => {
    const place = await placeFor(t, fixtureExtract)
    const { snapshot } = await refreshInto(place)
    const before = await generationsOf(place)
    await writeExtract(place.source, changed(fixtureExtract, 'C100'), 'csv')
    await ask(
      place.url,
      `create function fill() returns event_trigger language plpgsql as
       $$ begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$`,
    )
    // Indexes come after the rows.
    await ask(
      place.url,
      "create event trigger fill on ddl_command_start when tag in ('CREATE INDEX') execute function fill()",
    )
    await assert.rejects(refreshInto(place), { code: 'PGS105', message: /No space left on device/ })
    assert.equal(await currentId(place), snapshot)
    assert.deepEqual(await generationsOf(place), before)
    await ask(place.url, 'drop event trigger fill')
    await refreshInto(place)
    await assertIntact(place)
  })
})

describe('a refresh into PostgreSQL', () => {
  it('in which 1 % of the clients changed writes at most 3 % of the rows', async (t) => {
    const extract = largeExtract({ clients: 100, bookings: 5 })
    const place = await placeFor(t, extract)
    await refreshInto(place)
    const rowsIn = async (generations: readonly number[]) => {
      const tables = await ask<{ tablename: string }>(
        place.url,
        `select tablename from pg_tables where schemaname = 'tripfolio_records'
           and substring(tablename from '_g([0-9]+)')::integer = any ($1)`,
        [generations],
      )
      let rows = 0
      for (const { tablename } of tables) {
        const sql = `select count(*)::integer as rows from tripfolio_records.${tablename}`
        rows += (await ask<{ rows: number }>(place.url, sql))[0]?.rows ?? 0
      }
      return rows
    }
    const all = await generationsOf(place)
    const total = await rowsIn(all)
    await writeExtract(place.source, changed(extract, 'L007'), 'csv')
    const { clients } = await refreshInto(place)
    assert.deepEqual(clients, { total: 100, unchanged: 99 })
    const written = await rowsIn((await generationsOf(place)).filter((one) => !all.includes(one)))
    assert.ok(written > 0)
    assert.ok(written <= 0.03 * total, `${written} of ${total} rows`)
  })

  it('that lost too many rows is refused, until an operator accepts it', async (t) => {
    const extract = largeExtract({ clients: 4, bookings: 10 })
    const place = await placeFor(t, extract)
    const { snapshot } = await refreshInto(place)
    await writeExtract(place.source, withoutRecordsOf(extract, ['L000', 'L001']), 'csv')
    await assert.rejects(refreshInto(place), { kind: 'extract-refused' })
    assert.equal(await currentId(place), snapshot)
    const refusal = JSON.parse(await readFile(join(place.data, 'last-refusal', 'refusal.json'), 'utf8'))
    assert.match(refusal.message, /fewer|lost|shrunk/)
    const accepted = await refreshInto(place, { acceptShrink: true })
    assert.equal(await currentId(place), accepted.snapshot)
  })
})
