/** A refresh from a warehouse that fails says why, shows no password, and leaves everything as it was. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, it, type TestContext } from 'node:test'
import { loadConfig } from '../../src/config/load-config.ts'
import { checkExtract } from '../../src/ingest/check/check-extract.ts'
import { refreshInProcess } from '../../src/ingest/refresh/refresh-process.ts'
import type { Observation } from '../../src/observe/observation.ts'
import {
  ask,
  type TestDatabase,
  testDatabase,
  untilRows,
} from '../../src/postgres/testing/postgres-server.ts'
import { fixtureExtract as anyOrder } from '../fixtures/fixture-extract.ts'
import { fillWarehouse, inOrderOfTexts } from '../fixtures/warehouse.ts'
import { assertPublished, type Folders, makeFolders, refresh } from './ingest-fixture.ts'
import { runCommand } from './run-command.ts'
import { whileServingHere } from './service-in-process.ts'
import { blockedRefresh, readerOf, waitingMapping } from './warehouse-fixture.ts'

const fixtureExtract = inOrderOfTexts(anyOrder)
const PASSWORD = 'k7Qz-secret'

/** The test server trusts everybody, so any password will do. */
function withPassword(url: string): string {
  const changed = new URL(url)
  changed.password = PASSWORD
  return changed.href
}

async function filled(t: TestContext): Promise<Folders> {
  const { url } = await testDatabase(t)
  await fillWarehouse(url, fixtureExtract)
  return { ...(await makeFolders(t)), source: withPassword(url) }
}

/** Refreshes, which must fail; nothing may show the password, and nothing half-done may stay. */
async function refused(
  folders: Folders,
  mapping?: string,
): Promise<{ code: string; message: string; hint?: string }> {
  const observed: Observation[] = []
  const observe = (fact: Observation) => void observed.push(fact)
  let problem: unknown
  await assert.rejects(refresh(folders, { observe, ...(mapping !== undefined && { mapping }) }), (cause) => {
    problem = cause
    return true
  })
  const { code, message, hint } = problem as { code: string; message: string; hint: string }
  const kept = await readFile(join(folders.data, 'last-refusal', 'refusal.json'), 'utf8')
  assert.ok(kept.includes(code))
  for (const text of [message, hint, kept, JSON.stringify(observed)])
    assert.doesNotMatch(text, new RegExp(PASSWORD))
  await assertNothingLeft(folders)
  return { code, message, hint }
}

async function assertNothingLeft({ data }: Folders): Promise<void> {
  const kept = (await readdir(data)).filter((name) => name !== 'snapshots')
  assert.deepEqual(kept.sort(), ['last-refusal', 'refresh.lock'])
  assert.deepEqual(existsSync(join(data, 'snapshots')) ? await readdir(join(data, 'snapshots')) : [], [])
}

async function mappingOf({ data }: Folders, sql: string): Promise<string> {
  const path = join(data, '..', 'warehouse.sql')
  await writeFile(path, sql)
  return path
}

describe('a warehouse that cannot be reached', () => {
  it('is named, with what refuses the connection', async (t) => {
    const folders = await makeFolders(t)
    const away = { ...folders, source: `postgres://reader:${PASSWORD}@127.0.0.1:1/warehouse` }
    const { code, message } = await refused(away)
    assert.equal(code, 'PGS101')
    assert.equal(
      message,
      'The database 127.0.0.1:1/warehouse cannot be reached: connect ECONNREFUSED 127.0.0.1:1',
    )
    const { url } = await testDatabase(t)
    const unknown = new URL(withPassword(url))
    unknown.pathname = '/nowhere'
    const other = await refused({ ...folders, source: unknown.href })
    assert.deepEqual(
      [other.code, /refuses the connection: database "nowhere" does not exist/.test(other.message)],
      ['PGS104', true],
    )
    const broken = await refused({ ...folders, source: `postgres://reader:1#${PASSWORD}@db/warehouse` })
    assert.deepEqual(
      [broken.code, broken.message],
      ['ING150', 'The source is not a usable URL of a PostgreSQL database'],
    )
    const withoutFile = await refused({
      ...folders,
      source: `postgres://reader:${PASSWORD}@db/warehouse?sslrootcert=/nowhere/ca.pem`,
    })
    assert.deepEqual(
      [withoutFile.code, withoutFile.message],
      [
        'ING150',
        "The source is not a usable URL of a PostgreSQL database: ENOENT: no such file or directory, open '/nowhere/ca.pem'",
      ],
    )
  })

  it('ends the refresh when it ends the connection in the middle of a table, and the next one succeeds', async (t) => {
    const folders = await filled(t)
    const { pid, refreshing } = await blockedRefresh(t, folders)
    await ask(folders.source, 'select pg_terminate_backend($1)', [pid])
    await assert.rejects(refreshing, { code: 'PGS101' })
    await assertNothingLeft(folders)
    await refresh(folders)
    await assertPublished(folders, fixtureExtract)
  })

  it('ends the refresh when the network cuts the connection among the rows', async (t) => {
    const folders = await filled(t)
    const server = new URL(folders.source)
    await ask(
      folders.source,
      `insert into clients select 'N' || n, repeat('x', 400) from generate_series(1, 20000) n`,
    )
    // Passes 4 MB of the answers, then ends both connections.
    const proxy = createServer((caller) => {
      const upstream = connect(Number(server.port), server.hostname)
      let passed = 0
      const end = () => {
        caller.destroy()
        upstream.destroy()
      }
      for (const socket of [caller, upstream]) socket.on('error', end).on('close', end)
      caller.pipe(upstream)
      upstream.on('data', (chunk) => {
        passed += chunk.length
        if (passed > 4_000_000) end()
        else caller.write(chunk)
      })
    })
    proxy.listen(0, '127.0.0.1')
    t.after(() => proxy.close())
    await new Promise((resolve) => proxy.once('listening', resolve))
    const through = new URL(folders.source)
    through.port = String((proxy.address() as { port: number }).port)
    assert.equal((await refused({ ...folders, source: through.href })).code, 'PGS101')
  })
})

describe('SQL that fails in the warehouse', () => {
  const cases: readonly (readonly [title: string, sql: string, code: string, message: RegExp])[] = [
    [
      'a column that is not there',
      `CREATE VIEW clients AS\n  SELECT client_number,\n    nam FROM clients;`,
      'ING152',
      /^The SQL of warehouse\.sql \(view clients\) failed: column "nam" does not exist \(line 3, near 'nam FROM clients'\)/,
    ],
    [
      'a table that is not there, behind letters beyond ASCII',
      `-- Grüße 😀\nCREATE VIEW clients AS SELECT '😀' AS name FROM nowhere;`,
      'ING152',
      /relation "nowhere" does not exist \(line 2, near 'nowhere'\)/,
    ],
    [
      'a value that cannot be cast',
      `CREATE VIEW clients AS SELECT client_number, (name || 'x')::integer AS name FROM clients;`,
      'ING152',
      /failed: invalid input syntax for type integer: "/,
    ],
    [
      'a change of the warehouse',
      `CREATE VIEW clients AS SELECT client_number, nextval('counter')::text AS name FROM clients;`,
      'ING152',
      /cannot execute nextval\(\) in a read-only transaction/,
    ],
    [
      'a card number in a message',
      `CREATE VIEW clients AS SELECT client_number, ('x 4111 1111 1111 1111')::integer AS name FROM clients;`,
      'ING152',
      /"x \*+1111"/,
    ],
    [
      'a column that is missing',
      'CREATE VIEW clients AS SELECT client_number FROM clients;',
      'ING103',
      /Column 'name'/,
    ],
    [
      'a column that occurs twice',
      'CREATE VIEW clients AS SELECT client_number, name, name FROM clients;',
      'ING108',
      /'name' occurs twice/,
    ],
    [
      'a column with several values',
      'CREATE VIEW clients AS SELECT client_number, array[name] AS name FROM clients;',
      'ING153',
      /^Column 'name' of warehouse\.sql \(view clients\) has the type text\[\]: expected a type with one text/,
    ],
    ['no statement that is a view', 'SELECT 1;', 'ING151', /line 1: 'SELECT 1' is no CREATE VIEW/],
  ]
  // These only read it, and change nothing of it.
  let warehouse: TestDatabase
  before(async () => {
    warehouse = await testDatabase()
    await fillWarehouse(warehouse.url, fixtureExtract)
    await ask(warehouse.url, 'create sequence counter')
  })
  after(() => warehouse.drop())

  for (const [title, sql, code, message] of cases) {
    it(`refuses ${title}`, async (t) => {
      const folders = { ...(await makeFolders(t)), source: withPassword(warehouse.url) }
      const views = code === 'ING151' ? sql : `${sql}\nCREATE VIEW bookings AS SELECT * FROM bookings;`
      const found = await refused(folders, await mappingOf(folders, views))
      assert.equal(found.code, code)
      assert.match(found.message, message)
    })
  }

  it('refuses a mapping without a view that is needed, and a warehouse without a table', async (t) => {
    const folders = await filled(t)
    const mapping = await mappingOf(folders, 'CREATE VIEW clients AS SELECT * FROM clients')
    const unmapped = await refused(folders, mapping)
    assert.deepEqual(
      [unmapped.code, unmapped.message],
      ['ING102', "Table 'bookings' is missing: expected CREATE VIEW bookings in warehouse.sql, found none"],
    )
    await ask(folders.source, 'drop table bookings')
    const { code, message } = await refused(folders)
    assert.equal(code, 'ING102')
    assert.match(message, /expected a table or view 'bookings' in the schemas public, found none/)
  })

  it('refuses a table that the user may not read', async (t) => {
    const folders = await filled(t)
    const role = `reader_${randomBytes(6).toString('hex')}`
    await ask(folders.source, `create role ${role} login`)
    t.after(() => ask(new URL('/postgres', folders.source).href, `drop role ${role}`))
    await ask(folders.source, `grant select on clients to ${role}`)
    const url = new URL(folders.source)
    url.username = role
    const { code, message, hint } = await refused({ ...folders, source: url.href })
    assert.equal(code, 'ING154')
    assert.match(
      message,
      /^public\.custom_field_labels cannot be read in postgres:\/\/127.0.0.1:\d+\/test_\w+: permission denied/,
    )
    assert.match(hint ?? '', /GRANT SELECT/)
    await ask(folders.source, `drop owned by ${role}`)
  })
})

describe('a refresh from a warehouse by a running service', () => {
  it('shows the password in no argument of its process, no log line, and no page', async (t) => {
    const folders = await filled(t)
    const log: string[] = []
    await whileServingHere(
      folders.data,
      async ({ output }) => {
        const { code, stdout, stderr } = await runCommand(['refresh', '--data', folders.data])
        log.push(stdout, stderr)
        assert.equal(code, 0, stderr)
        await ask(folders.source, 'alter table bookings rename to later')
        const failed = await runCommand(['refresh', '--data', folders.data])
        assert.match(failed.stderr, /Table 'bookings' is missing in postgres:\/\/127/)
        log.push(failed.stdout, failed.stderr, output())
      },
      { source: folders.source },
    )
    await assertPublished(folders, fixtureExtract)
    const env = { TRIPFOLIO_SOURCE: folders.source, TRIPFOLIO_DATA: folders.data }
    for (const args of [
      ['config', 'print'],
      ['snapshot', 'list'],
      ['snapshot', 'list', '--json'],
      ['ingest', '--check'],
    ])
      log.push(...Object.values(await runCommand(args, env)).map(String))
    assert.match(log.join('\n'), /refresh started/)
    assert.doesNotMatch(log.join('\n'), new RegExp(PASSWORD))
  })

  it('is ended with the service, and its process has no password in its arguments', async (t) => {
    const folders = await filled(t)
    const mapping = await waitingMapping(join(folders.data, '..'))
    const holder = await blockedRefresh(t, { ...folders, data: join(folders.data, '..', 'other') })
    const config = loadConfig({ env: {}, flags: { ...folders, mapping } })
    const stop = new AbortController()
    let pid = 0
    const onStart = (started: number | undefined) => {
      pid = started ?? 0
    }
    const observe = () => undefined
    const ended = refreshInProcess(config, folders.source, observe, { signal: stop.signal, onStart })
    ended.catch(() => undefined)
    await untilRows(
      folders.source,
      `select 1 from pg_stat_activity where wait_event = 'advisory' and datname = current_database()`,
      { least: 2 },
    )
    if (process.platform === 'linux')
      assert.doesNotMatch(await readFile(`/proc/${pid}/cmdline`, 'utf8'), new RegExp(PASSWORD))
    stop.abort()
    await assert.rejects(ended, { code: 'SRV304' })
    await holder.release()
  })
})

describe('a user of a warehouse', () => {
  const rights: readonly (readonly [rights: string, said: string | null])[] = [
    ['', null],
    ['superuser', 'the rights of a superuser'],
    ['createrole createdb replication', 'CREATEROLE, CREATEDB, REPLICATION'],
    [
      'in role pg_read_server_files, pg_execute_server_program, pg_read_all_data',
      'membership in pg_execute_server_program, membership in pg_read_server_files',
    ],
    ['noinherit in role OWNER', 'the rights of a superuser'],
  ]
  for (const [granted, said] of rights) {
    it(`is ${said === null ? 'not ' : ''}named by refresh and check as one that may do more than read: ${granted || 'SELECT alone'}`, async (t) => {
      const folders = await filled(t)
      const source = await readerOf(t, folders.source, granted)
      const { warnings } = await refresh({ ...folders, source })
      const { code, stdout } = await runCommand(['ingest', '--check', '--source', source])
      assert.equal(code, 0)
      if (said === null) {
        assert.deepEqual(warnings, [])
        assert.doesNotMatch(stdout, /Warning/)
        return
      }
      assert.deepEqual(
        warnings.map(({ kind }) => kind),
        ['rights-beyond-reading'],
      )
      for (const text of [warnings[0]?.message ?? '', stdout])
        assert.ok(
          text.includes(
            `User '${new URL(source).username}' of the warehouse may do more than read: it has ${said}, and`,
          ),
          text,
        )
    })
  }
})

describe('a mapping of a warehouse that means harm', () => {
  const BREAK = ') as q limit 0; commit; create table stolen (); select * from (select 1'
  const views = (clients: string, labels = 'select * from custom_field_labels') => `
    CREATE VIEW clients AS ${clients};
    CREATE VIEW bookings AS SELECT * FROM bookings;
    CREATE VIEW custom_field_labels AS ${labels};`
  const hostile: readonly (readonly [what: string, mapping: string, code: string])[] = [
    ['another statement', views(`select 1${BREAK}`), 'ING151'],
    ['a statement after a comment that a carriage return ends', views(`select 1 --\r${BREAK}`), 'ING151'],
    ['a statement between tags that are none', views(`select 1 as \u00e9$x$${BREAK} as \u00e9$x$`), 'ING151'],
    ['a space that is a letter', views(`select 1 as \u00a0$x$${BREAK} as \u00a0$x$`), 'ING151'],
    ['a text in two pieces', views(`select e'a'\n'b'' ${BREAK} --'`), 'ING151'],
    ['COMMIT', `COMMIT; ${views('select * from clients')}`, 'ING151'],
    ['COPY TO PROGRAM', `COPY clients TO PROGRAM 'touch /tmp/x'; ${views('select 1')}`, 'ING151'],
    [
      'a function',
      `CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'select 1'; ${views('select 1')}`,
      'ING151',
    ],
    [
      'an insertion',
      views(`with x as (insert into clients values ('a', 'b') returning *) select * from x`),
      'ING152',
    ],
    [
      'an end of the protection',
      views(`select *, set_config('transaction_read_only', 'off', true) from clients`),
      'ING152',
    ],
    ['a number of a sequence', views(`select *, nextval('counter') from clients`), 'ING152'],
    ['a large object', views('select *, lo_create(4711) from clients'), 'ING152'],
    ['a function that writes', views('select *, writes() from clients'), 'ING152'],
  ]
  for (const [what, sql, code] of hostile) {
    it(`changes nothing: ${what}`, async (t) => {
      const folders = await filled(t)
      await ask(folders.source, 'create sequence counter')
      await ask(
        folders.source,
        `create function writes() returns int language plpgsql as 'begin delete from clients; return 1; end'`,
      )
      const mapping = await mappingOf(folders, sql)
      await assert.rejects(refresh(folders, { mapping }), { code })
      const check = checkExtract({ source: folders.source, mapping, maxRejectShare: 0.05 })
      if (code === 'ING151') await assert.rejects(check, { code })
      else assert.equal((await check).fits, false)
      await assertUnchanged(folders.source)
    })
  }

  it('changes nothing: a query that changes how the texts of the next one are read', async (t) => {
    const folders = await filled(t)
    const hidden = String.raw`select '\'' as client_number, null as field, null as label) as q) to stdout; commit;
      create table stolen (); copy (select 1 from (select 1 -- ' as client_number, 'x' as field, 'y' as label`
    const off = `select client_number, name from clients, set_config('standard_conforming_strings', 'off', true)`
    const mapping = await mappingOf(folders, views(off, hidden))
    await refresh(folders, { mapping, maxRejectShare: 1 }).catch(() => undefined)
    await checkExtract({ source: folders.source, mapping, maxRejectShare: 1 }).catch(() => undefined)
    await assertUnchanged(folders.source)
  })

  async function assertUnchanged(source: string): Promise<void> {
    const rows = await ask(
      source,
      `select to_regclass('stolen') is null as kept, (select count(*)::int from clients) as clients,
       (select count(*)::int from pg_largeobject_metadata) as objects`,
    )
    assert.deepEqual(rows, [{ kept: true, clients: fixtureExtract.clients.length, objects: 0 }])
  }
})
