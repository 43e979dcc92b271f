/** Whoever delivers an extract, its tripfolio.sql included, reaches nothing but its folder, and changes nothing there. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { linkSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { lstat, mkdir, readdir, readFile, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { DuckDBInstance } from '@duckdb/node-api'
import { checkExtract } from '../../src/ingest/check/check-extract.ts'
import { permittedStatements } from '../../src/ingest/guard/permitted-statements.ts'
import { openSampleDatabase } from '../../src/ingest/work-database.ts'
import { fixtureExtract } from '../fixtures/fixture-extract.ts'
import { writeExtract } from '../fixtures/write-extract.ts'
import { hostileStatements } from './hostile-mappings.ts'
import {
  type Folders,
  makeFolders,
  overwrite,
  publishedRecords,
  refresh,
  sharedFolders,
} from './ingest-fixture.ts'
import { runCommand } from './run-command.ts'

const SECRET = 'the key of all secrets'
const outsideOf = ({ source }: Folders) => join(source, '..', 'outside')
const check = (source: string, dataFolder?: string) =>
  checkExtract({ source, maxRejectShare: 0.05, ...(dataFolder && { dataFolder }) })

/** An extract, and beside its folder another one with files of each format that hold a secret. */
async function write(folders: Folders): Promise<void> {
  await writeExtract(folders.source, fixtureExtract, 'csv')
  const outside = outsideOf(folders)
  await mkdir(outside)
  for (const file of ['secret.key', 'secret.csv', 'token.key']) await writeFile(join(outside, file), SECRET)
  await writeFile(join(outside, 'secret.json'), JSON.stringify({ secret: SECRET }))
  const instance = await DuckDBInstance.create(join(outside, 'secret.duckdb'))
  const connection = await instance.connect()
  await connection.run(
    `CREATE TABLE t AS SELECT '${SECRET}' AS secret; COPY t TO '${outside}/secret.parquet'`,
  )
  connection.closeSync()
  instance.closeSync()
}

/** All files below a folder: their digests, and when they were changed. */
async function stateOf(folder: string): Promise<ReadonlyMap<string, string>> {
  const state = new Map<string, string>()
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name)
    const { mtimeMs } = await lstat(path)
    const digest = entry.isFile()
      ? createHash('sha256')
          .update(await readFile(path))
          .digest('hex')
      : ''
    state.set(path, `${mtimeMs} ${digest}`)
  }
  return state
}

/** Runs it with each text as the mapping. @returns the texts that were not refused, or with a message that shows the secret */
async function accepted(folders: Folders, run: () => Promise<unknown>): Promise<readonly string[]> {
  const found: string[] = []
  for (const text of hostileStatements) {
    const sql = text.replaceAll('OUT', outsideOf(folders)).replaceAll('IN/', `${folders.source}/`)
    await overwrite(folders.source, { 'tripfolio.sql': sql })
    const [outside, source] = [await stateOf(outsideOf(folders)), await stateOf(folders.source)]
    const problem: unknown = await run().then(
      () => null,
      (cause: unknown) => cause,
    )
    const { code, message = '' } = (problem ?? {}) as { code?: string; message?: string }
    if (code !== 'ING107' || message.includes(SECRET)) found.push(`${text}: ${code} ${message}`)
    assert.deepEqual(
      [await stateOf(outsideOf(folders)), await stateOf(folders.source)],
      [outside, source],
      text,
    )
  }
  return found
}

describe('a mapping that means harm', () => {
  const folders = sharedFolders(write)

  it('is refused by a check, and nothing changes', async () => {
    assert.deepEqual(await accepted(folders(), () => check(folders().source)), [])
  })

  it('is refused by a refresh, and nothing changes', async () => {
    assert.deepEqual(await accepted(folders(), () => refresh(folders())), [])
  })

  it('runs none of its statements when one of them is refused', async () => {
    const { source } = folders()
    const sql = `CREATE VIEW clients AS SELEKT 1;\nSET VARIABLE a = error('it ran');\n\nCOPY clients TO 'x.csv'`
    await overwrite(source, { 'tripfolio.sql': sql })
    await assert.rejects(check(source), {
      code: 'ING107',
      message: /line 4: 'COPY clients TO 'x.csv'' is not/,
    })
  })

  const endless: readonly (readonly [what: string, sql: string])[] = [
    ['dashes that are comments in many ways', `SELECT E'' ${'-'.repeat(400)}\nx`],
    ['100,000 statements', `${'\n;'.repeat(100_000)} SELECT 1`],
    ['100,000 comments', `SELECT 1 ${'/**/'.repeat(100_000)}`],
    ['a query with rows without an end', 'FROM range(1000000000000000)'],
  ]
  for (const [what, sql] of endless) {
    it(`does not keep a check busy for ever: ${what}`, async () => {
      await overwrite(folders().source, { 'tripfolio.sql': sql })
      assert.equal((await check(folders().source)).fits, true)
    })
  }

  it('is not too long, and a file', async () => {
    const path = join(folders().source, 'tripfolio.sql')
    await overwrite(folders().source, { 'tripfolio.sql': '' })
    await truncate(path, 10 * 2 ** 30)
    const refusal = { code: 'ING107', message: /expected at most 1048576 bytes of SQL, found 10737418240/ }
    await assert.rejects(check(folders().source), refusal)
    await rm(path)
    await mkdir(path)
    await assert.rejects(check(folders().source), { code: 'ING107', message: /expected a file of SQL/ })
    await rm(path, { recursive: true })
  })

  it('has texts of 1 MB, and its statements run in their lines', () => {
    const statements = permittedStatements(
      `SELECT '${'x;'.repeat(500_000)}';\n\nSELECT 2`,
      new Set(),
      () => new Error(),
    )
    assert.deepEqual([statements.length, statements[1]?.sql()], [2, '\n\nSELECT 2'])
    const many = permittedStatements('SELECT 1;\n'.repeat(50_000), new Set(), () => new Error())
    assert.equal(many.at(-1)?.sql(), `${'\n'.repeat(49_999)}SELECT 1`)
  })

  it('cannot overwrite the key of tokens by a check on the command line', async () => {
    const target = join(outsideOf(folders()), 'token.key')
    const sql = `COPY (SELECT 'AAAA') TO '${target}' (HEADER false);`
    await overwrite(folders().source, { 'tripfolio.sql': sql })
    const { code, stderr } = await runCommand(['ingest', '--check', '--source', folders().source])
    assert.deepEqual([code, await readFile(target, 'utf8')], [1, SECRET])
    assert.match(stderr, /is refused: line 1: 'COPY \( SELECT 'AAAA'' is not allowed/)
  })
})

describe('the work database', () => {
  it('refuses by itself what the statements of a mapping are refused for, but for writing into the folder', async (t) => {
    const folders = await makeFolders(t)
    await write(folders)
    const [outside, state] = [outsideOf(folders), await stateOf(outsideOf(folders))]
    const database = await openSampleDatabase({ source: folders.source })
    t.after(database.close)
    for (const sql of [
      `COPY (SELECT 1) TO '${outside}/token.key'`,
      `FROM enable_profiling(format = 'json', save_location = '${outside}/token.json'); SELECT 1`,
      `FROM read_text('${outside}/secret.key')`,
      `FROM read_text('${folders.source}/../outside/secret.key')`,
      `ATTACH '${outside}/secret.duckdb' AS a`,
      `SET threads = 1`,
      `INSTALL httpfs`,
      `LOAD httpfs`,
      `CREATE PERSISTENT SECRET s (TYPE http)`,
    ]) {
      const other = await openSampleDatabase({ source: folders.source })
      await assert.rejects(other.run(sql), /Permission Error|locked|disabled|Failed to query/, sql)
      await other.close()
    }
    assert.deepEqual(await stateOf(outside), state)
    const copy = `COPY (SELECT 1) TO '${folders.source}/x.csv'`
    for (const sql of [copy, 'INSERT INTO t VALUES (1)', 'SELECT 1; CHECKPOINT']) {
      await database.run('CREATE OR REPLACE TABLE t (i INTEGER)')
      await assert.rejects(database.runMapping(sql), /^Error: (COPY|INSERT|CALL) is not allowed$/)
    }
    assert.ok(!(await readdir(folders.source)).includes('x.csv'))
  })

  it('knows each table function of DuckDB as one that only reads, or as refused', async (t) => {
    const database = await openSampleDatabase()
    t.after(database.close)
    const rows = await database.rows(
      `SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_type IN ('table', 'table_macro') ORDER BY 1`,
    )
    const names = rows.map(([name]) => String(name))
    const reads =
      /^(duckdb_(?!profiling_settings$|settings$)|pragma_|parquet_|read_|json_(each|tree)$|(generate_series|range|repeat|repeat_row|unnest|glob|sniff_csv|summary|icu_calendar_names|pg_timezone_names|sql_auto_complete|test_all_types|test_vector_types|which_secret)$)/
    const others = names.filter((name) => !reads.test(name))
    const folders = await makeFolders(t)
    await writeExtract(folders.source, fixtureExtract, 'csv')
    for (const name of others) {
      await overwrite(folders.source, { 'tripfolio.sql': `SELECT 1 FROM ${name} /* */ ()` })
      const message = new RegExp(`line 1: the function ${name} is not allowed`)
      await assert.rejects(check(folders.source), { code: 'ING107', message }, name)
    }
    assert.ok(others.includes('enable_logging') && others.length > 10)
    // What the database has itself may call one of them under another name.
    const own = await database.rows(
      `SELECT view_name, sql FROM duckdb_views() WHERE internal UNION ALL
       SELECT function_name, macro_definition FROM duckdb_functions() WHERE internal AND macro_definition IS NOT NULL`,
    )
    const refusedNames = [...others, 'current_setting', 'write_log'].join('|')
    const calling = own.filter(([, sql]) => new RegExp(`\\b(${refusedNames})"?\\(`, 'i').test(String(sql)))
    for (const [name] of calling) {
      await overwrite(folders.source, { 'tripfolio.sql': `SELECT 1 FROM ${name} (), ${name}` })
      await assert.rejects(check(folders.source), { message: /line 1: the (function|view)/ }, String(name))
    }
    assert.ok(calling.some(([name]) => name === 'pg_settings'))
  })
})

describe('a folder of an extract', () => {
  it('serves a mapping with all that is in it: tables, macros, variables, pivots, patterns and compressed files', async (t) => {
    const { source: parent, data } = await makeFolders(t)
    const real = join(parent, 'real')
    await writeExtract(real, fixtureExtract, 'csv')
    const clients = await readFile(join(real, 'clients.csv'))
    await rm(join(real, 'clients.csv'))
    for (const folder of ['in', 'deep/er']) await mkdir(join(real, folder), { recursive: true })
    await overwrite(real, {
      'in/clients-1.csv.gz': gzipSync(clients),
      'in/clients-2.csv.zst': zstdCompressSync(clients),
      'deep/er/names.ndjson': '{"client_number":"C100","name":"From JSON"}\n',
      'tripfolio.sql': `
        SET VARIABLE suffix = (SELECT '!' || count(*) FROM 'deep/**/*.ndjson');
        CREATE OR REPLACE MACRO loud(x) AS x || getvariable('suffix');
        CREATE MACRO parts(files) AS TABLE FROM read_csv(files, all_varchar = true);
        CREATE TEMP TABLE numbered AS SELECT DISTINCT * FROM parts('in/clients-1*') UNION FROM parts(['in/clients-2.csv.zst']);
        CREATE TABLE wide AS PIVOT (FROM numbered) ON client_number USING count(*);
        SELECT count(*) FROM wide;
        WITH names AS (FROM read_json('deep/er/*.ndjson')) FROM names;
        CREATE VIEW clients AS SELECT n.client_number, loud(coalesce(j.name, n.name)) AS name
          FROM numbered n LEFT JOIN './deep/er/names.ndjson' j USING (client_number);`,
    })
    // The folder of the operator may be a link, and links in it may lead to other files in it.
    const source = join(parent, 'link, [to] it')
    await symlink(real, source)
    await rename(join(real, 'bookings.csv'), join(real, 'deep/bookings.csv'))
    await symlink('deep/bookings.csv', join(real, 'bookings.csv'))
    const working = process.cwd()
    assert.equal((await check(source)).fits, true)
    assert.equal((await refresh({ source, data })).rejects, 0)
    assert.equal(process.cwd(), working)
    assert.ok((await publishedRecords(data, 'C100', 'bookings')).length > 0)
    const manifest = await readFile(
      join(data, 'snapshots', (await readdir(join(data, 'snapshots')))[0] ?? '', 'manifest.json'),
      'utf8',
    )
    assert.match(manifest, /From JSON!1/)
  })

  it('may be read by several refreshes of one process at once, each with its own names', async (t) => {
    const all = await Promise.all([1, 2, 3].map(() => makeFolders(t)))
    for (const [at, { source }] of all.entries()) {
      await writeExtract(source, fixtureExtract, 'csv')
      await rename(join(source, 'clients.csv'), join(source, `debtors-${at}.csv`))
      await overwrite(source, {
        'tripfolio.sql': `CREATE VIEW clients AS FROM read_csv('debtors-*.csv', all_varchar = true, filename = false)`,
      })
    }
    const working = process.cwd()
    const done = await Promise.all(all.map((folders) => refresh(folders)))
    assert.deepEqual(
      done.map(({ rejects }) => rejects),
      [0, 0, 0],
    )
    assert.equal(process.cwd(), working)
  })

  const leading: readonly [what: string, make: (source: string, outside: string) => void][] = [
    [
      'a link to a file',
      (source, outside) => symlinkSync(join(outside, 'secret.key'), join(source, 'a.key')),
    ],
    ['a relative link', (source) => symlinkSync('../outside/secret.key', join(source, 'clients-2.csv'))],
    ['a link to a folder', (source, outside) => symlinkSync(outside, join(source, 'bookings'))],
    ['a link to nothing yet', (source, outside) => symlinkSync(join(outside, 'later'), join(source, 'b'))],
    ['a link to the parent folder', (source) => symlinkSync('..', join(source, 'up'))],
    ['a link to itself through the root', (source) => symlinkSync('/proc/self/cwd', join(source, 'cwd'))],
    [
      'a table that is a link',
      (source, outside) => {
        renameSync(join(source, 'clients.csv'), join(outside, 'clients.csv'))
        symlinkSync(join(outside, 'clients.csv'), join(source, 'clients.csv'))
      },
    ],
    [
      'a list of files that is a link',
      (source, outside) => symlinkSync(join(outside, 'secret.json'), join(source, 'extract.json')),
    ],
    [
      'a mapping that is a link',
      (source, outside) => {
        writeFileSync(join(outside, 'own.sql'), 'SELECT 1')
        symlinkSync(join(outside, 'own.sql'), join(source, 'tripfolio.sql'))
      },
    ],
  ]
  for (const [what, make] of leading) {
    for (const mapped of [false, true]) {
      it(`is refused with ${what}${mapped ? ', with a mapping' : ''}`, async (t) => {
        const folders = await makeFolders(t)
        await write(folders)
        if (mapped) await overwrite(folders.source, { 'tripfolio.sql': 'SELECT 1' })
        if (mapped && what.includes('mapping')) rmSync(join(folders.source, 'tripfolio.sql'))
        make(folders.source, outsideOf(folders))
        const refusal = {
          code: 'ING143',
          message: /leads out of the folder .*: it is a link to '\//,
        } as const
        await assert.rejects(refresh(folders), refusal)
        await assert.rejects(check(folders.source), refusal)
      })
    }
  }

  it('may hold a file under two names, as copies of backups do', async (t) => {
    const folders = await makeFolders(t)
    await write(folders)
    linkSync(join(folders.source, 'clients.csv'), join(outsideOf(folders), 'clients.csv'))
    assert.equal((await refresh(folders)).rejects, 0)
  })

  it('may hold the data folder only without a mapping', async (t) => {
    const { source } = await makeFolders(t)
    const folders = { source, data: join(source, 'data') }
    await writeExtract(source, fixtureExtract, 'csv')
    await refresh(folders)
    await overwrite(source, { 'tripfolio.sql': 'SELECT 1' })
    const refusal = { code: 'ING143', message: /data' lies in the folder '.*' of the extract$/ } as const
    await assert.rejects(refresh(folders), refusal)
    await assert.rejects(check(source, folders.data), refusal)
  })

  it('is refused when a link was in it only while a mapping was at work', async (t) => {
    const folders = await makeFolders(t)
    await write(folders)
    const { source } = folders
    await overwrite(source, { 'tripfolio.sql': 'SELECT 1' })
    let swapped = false
    const swap = () => {
      if (swapped) return
      swapped = true
      symlinkSync('../outside/secret.key', join(source, 'link'))
      rmSync(join(source, 'link'))
    }
    const refusal = { code: 'ING109', message: /added, renamed or removed in .* at work$/ } as const
    await assert.rejects(refresh(folders, { onProgress: swap }), refusal)
    swapped = false
    await assert.rejects(checkExtract({ source, maxRejectShare: 0.05, onTable: swap }), refusal)
    assert.equal((await refresh(folders)).rejects, 0)
  })
})
