import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { constants } from 'node:fs'
import { mkdtemp, open, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { ask, testDatabase } from '../../postgres/testing/postgres-server.ts'
import { maskFields } from '../card-numbers.ts'
import { ingestedTables } from '../tables.ts'
import type { Relation } from './relation.ts'
import { columnsOf, findRelations, isPlain, readColumn } from './relations.ts'
import { type Snapshot, withSnapshot } from './snapshot.ts'
import { RecordMask, spoolRows } from './spool.ts'

/** SQL of a value, and its text in the file. */
const values: readonly (readonly [sql: string, text: string])[] = [
  ['null', String.raw`\N`],
  ['null::date', String.raw`\N`],
  [`''`, ''],
  [String.raw`E'two\r\nlines, "quoted"; \t\\N'`, '"two\r\nlines, ""quoted""; \t\\N"'],
  [String.raw`'\N'`, String.raw`"\N"`],
  [`' padded '`, ' padded '],
  [`'padded'::char(20)`, 'padded'],
  [`'42a8b5a0-0000-4000-8000-000000000000'::uuid`, '42a8b5a0-0000-4000-8000-000000000000'],
  ['true', 'true'],
  ['false', 'false'],
  ['7::smallint', '7'],
  ['9223372036854775807', '9223372036854775807'],
  ['12.50::numeric', '12.50'],
  [`'NaN'::numeric`, 'NaN'],
  ['0.1::float8', '0.1'],
  ['1e-7::float8', '1e-07'],
  [`'Infinity'::float8`, 'Infinity'],
  ['0.1::real', '0.1'],
  [`'2026-02-28'::date`, '2026-02-28'],
  [`'infinity'::date`, 'infinity'],
  [`'0044-03-15 BC'::date`, '0044-03-15 BC'],
  [`'2026-01-02 10:30:59.999'::timestamp`, '2026-01-02 10:30:59.999'],
  [`'-infinity'::timestamp`, '-infinity'],
  [`'2026-01-02 10:30:00+10'::timestamptz`, '2026-01-02 00:30:00+00'],
  [`'2026-01-02 10:30:00+10'::timestamptz at time zone 'Australia/Brisbane'`, '2026-01-02 10:30:00'],
]

const [clients, payments] = ['clients', 'payments'].map((name) => {
  const table = ingestedTables.find((known) => known.name === name)
  if (table === undefined) throw new Error(`There is no table ${name}`)
  return (query: string): Relation => ({ table, label: name, query, mayBeOrdered: true, line: null })
}) as [(query: string) => Relation, (query: string) => Relation]

async function folderOf(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tripfolio-spool-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

async function spooled(t: TestContext, url: string, relation: Relation): Promise<string> {
  const path = join(await folderOf(t), 'rows.csv')
  const { columns: known } = relation.table
  await withSnapshot(url, undefined, async (snapshot) => {
    const columns = (await columnsOf(relation, snapshot, url)).map((column) =>
      readColumn(
        known.find((each) => each.column === column.name),
        column,
      ),
    )
    const rows = await spoolRows(relation, columns, path, snapshot, { source: url, signal: undefined })
    assert.equal(rows, 1)
  })
  return readFile(path, 'utf8')
}

describe('the copy of rows of a warehouse', () => {
  it('has one text for each value, whatever the defaults of the database and the URL are', async (t) => {
    const { url } = await testDatabase(t)
    const name = new URL(url).pathname.slice(1)
    for (const setting of [`datestyle = 'German'`, 'extra_float_digits = -5', `client_encoding = 'LATIN1'`])
      await ask(url, `alter database ${name} set ${setting}`)
    const own = new URL(url)
    own.searchParams.set('options', '-c timezone=Pacific/Auckland')
    const names = values.map((_, at) => `c${at}`)
    const query = `select ${values.map(([sql], at) => `${sql} as c${at}`).join(', ')}`
    const expected = [names, values.map(([, text]) => text)].map((line) => `${line.join(',')}\n`).join('')
    assert.equal(await spooled(t, own.href, clients(query)), expected)
  })

  it('shows no whole card number, of whatever type', async (t) => {
    const { url } = await testDatabase(t)
    for (const number of [
      '4111111111111111',
      '4111111111111111::float8',
      '4111111111111111.00',
      `'4111 1111-1111\n1111'`,
    ]) {
      const query = `select ${number} as card_number, 'Paid with "4111111111111111", '::text as merchant`
      const copy = await spooled(t, url, payments(query))
      assert.doesNotMatch(copy, /(?:\d\D?){5}/, copy)
      assert.match(copy, /\*1111/)
    }
  })

  it('leaves columns with several values or bytes out of what can be read', async (t) => {
    const { url } = await testDatabase(t)
    await ask(url, 'create type pair as (a integer, b integer)')
    const query = `select array[1] as a, '{}'::json as b, '{}'::jsonb as c, 'x'::bytea as d, row(1, 2)::pair as e,
      row(1, 2) as f, int4range(1, 2) as g, 'x'::text as plain, 1::money as h`
    const found = await withSnapshot(url, undefined, (snapshot) => columnsOf(clients(query), snapshot, url))
    assert.deepEqual(
      found.filter(isPlain).map(({ name }) => name),
      ['plain', 'h'],
    )
  })

  it('has rows without a key of their own in one order, however a table has them, and those of a view in its order', async (t) => {
    const { url } = await testDatabase(t)
    await ask(url, 'create table travellers (client_number text, record_locator text, name text)')
    await ask(
      url,
      `insert into travellers values ('C1', 'A', 'b'), ('C1', 'A', 'a'), ('C1', 'A', null), ('C1', 'A', 'B')`,
    )
    const copied = async () => {
      const path = join(await folderOf(t), 'rows.csv')
      await withSnapshot(url, undefined, async (snapshot) => {
        const [relation] = await findRelations(snapshot, undefined)
        assert.ok(relation)
        const columns = [{ name: 'name', text: 'q.name' }]
        await spoolRows(relation, columns, path, snapshot, { source: url, signal: undefined })
      })
      return (await readFile(path, 'utf8')).split('\n').slice(1, -1)
    }
    const sorted = ['B', 'a', 'b', '\\N']
    assert.deepEqual(await copied(), sorted)
    // The changed row moves to the end of the table.
    await ask(url, `update travellers set record_locator = 'A' where name = 'B'`)
    assert.deepEqual(await copied(), sorted)
    await ask(url, 'alter table travellers rename to rows')
    await ask(url, 'create view travellers as select * from rows order by name collate "C" desc nulls last')
    assert.deepEqual(await copied(), ['b', 'a', 'B', '\\N'])
  })

  it('is not ended by limits of the server on the time of statements and transactions', async (t) => {
    const { url } = await testDatabase(t)
    const name = new URL(url).pathname.slice(1)
    for (const limit of ['statement_timeout', 'transaction_timeout', 'idle_in_transaction_session_timeout'])
      await ask(url, `alter database ${name} set ${limit} = '1s'`)
    const copy = await spooled(t, url, clients(`select pg_sleep(1.2)::text || 'slow' as name`))
    assert.equal(copy, 'name\nslow\n')
  })

  it('makes the server wait when the disk does not keep up, and ends when the refresh is stopped', async (t) => {
    const { url } = await testDatabase(t)
    const path = join(await folderOf(t), 'pipe')
    execFileSync('mkfifo', [path])
    // Takes nothing, like a disk that hangs.
    const reader = await open(path, constants.O_RDWR | constants.O_NONBLOCK)
    const stop = new AbortController()
    const gigabyte = clients(`select repeat('x', 1000) as name from generate_series(1, 1000000)`)
    const before = process.memoryUsage().arrayBuffers
    const copying = withSnapshot(url, stop.signal, (snapshot: Snapshot) =>
      spoolRows(gigabyte, [{ name: 'name', text: 'q.name' }], path, snapshot, {
        source: url,
        signal: stop.signal,
      }),
    )
    copying.catch(() => undefined)
    const waits = () =>
      ask(
        url,
        `select 1 from pg_stat_activity where wait_event = 'ClientWrite' and datname = current_database()`,
      )
    while ((await waits()).length === 0) await sleep(10)
    assert.ok(process.memoryUsage().arrayBuffers - before < 16 * 2 ** 20, 'a few chunks are in memory')
    stop.abort()
    // The write that hangs ends when its reader does.
    await reader.close()
    await assert.rejects(copying)
    while ((await waits()).length > 0) await sleep(10)
  })
})

describe('the mask of CSV records', () => {
  it('is that of the whole text, wherever the chunks end', async () => {
    const record = fc.stringMatching(/^(?:"(?:[ab,\n4]|"")*"|[ab4]*)(?:,(?:"(?:[ab,\n]|"")*"|[ab4]*)){0,2}$/)
    const maskingAt = (place: number) => (place === 0 ? 'number' : 'text')
    await fc.assert(
      fc.asyncProperty(fc.array(record), fc.integer({ min: 1, max: 7 }), async (records, size) => {
        const bytes = Buffer.from(records.map((each) => `${each}\n`).join(''))
        const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
          bytes.subarray(at * size, (at + 1) * size),
        )
        const masked = await text(Readable.from(chunks).pipe(new RecordMask(maskingAt)))
        assert.equal(masked, records.map((each) => `${maskFields(each, ',', maskingAt)}\n`).join(''))
      }),
      { numRuns: 100 },
    )
  })
})
