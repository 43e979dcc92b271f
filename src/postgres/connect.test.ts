import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Problem } from '../kernel/problem.ts'
import { tryAdvisoryLock } from './advisory-locks.ts'
import { type DatabasePool, openPool, type PoolOptions } from './connect.ts'
import { refuseTransactionPooling } from './session-pooling.ts'
import { openPooler } from './testing/pooler.ts'
import {
  ask,
  type RunningServer,
  startServer,
  type TestDatabase,
  testDatabase,
} from './testing/postgres-server.ts'

const open = (url: string, options: Partial<PoolOptions> = {}): DatabasePool =>
  openPool({ url, use: 'tripfolio test', connections: 2, ...options })

const select = (pool: DatabasePool, sql: string) =>
  pool.withConnection(async (connection) => (await connection.query(sql)).rows)

const failsWith = (code: string, text: RegExp) => (problem: unknown) => {
  assert.ok(problem instanceof Problem)
  assert.equal(problem.code, code)
  assert.match(problem.message, text)
  return true
}

describe('a pool of connections', () => {
  let database: TestDatabase
  let pool: DatabasePool

  before(async () => {
    database = await testDatabase()
    pool = open(database.url, { waitMs: 300, statementMs: 200, session: { synchronous_commit: 'off' } })
  })

  after(async () => {
    await pool.close()
    await database.drop()
  })

  it('has the settings of its session', async () => {
    const settings = "select current_setting('synchronous_commit') as a, current_setting('timezone') as b"
    assert.deepEqual(await select(pool, settings), [{ a: 'off', b: 'UTC' }])
  })

  it('keeps them, and adds what the URL asks for', async () => {
    const url = new URL(database.url)
    url.searchParams.set('options', '-c geqo=off -c timezone=Asia/Tokyo')
    url.searchParams.set('statement_timeout', '0')
    const other = open(url.href, { statementMs: 200 })
    const settings = ['geqo', 'timezone', 'statement_timeout'].map(
      (name) => `current_setting('${name}') as ${name}`,
    )
    assert.deepEqual(await select(other, `select ${settings.join()}`), [
      { geqo: 'off', timezone: 'UTC', statement_timeout: '200ms' },
    ])
    await other.close()
  })

  it('tells a statement that takes too long', async () => {
    await assert.rejects(select(pool, 'select pg_sleep(5)'), failsWith('PGS103', /took too long/))
    assert.deepEqual(await select(pool, 'select 1 as one'), [{ one: 1 }])
  })

  it('tells that no connection became free', async () => {
    const held = Promise.withResolvers<void>()
    const holders = [pool.withConnection(() => held.promise), pool.withConnection(() => held.promise)]
    await assert.rejects(select(pool, 'select 1'), failsWith('PGS102', /became free within 300 ms/))
    held.resolve()
    await Promise.all(holders)
    assert.deepEqual(await select(pool, 'select 1 as one'), [{ one: 1 }])
  })

  it('tells what the server says of a wrong statement', async () => {
    await assert.rejects(select(pool, 'select * from missing'), failsWith('PGS105', /relation "missing"/))
  })

  it('opens a new connection when one was ended', async () => {
    const [row] = await select(pool, 'select pg_backend_pid() as pid')
    await ask(database.url, 'select pg_terminate_backend($1)', [row.pid])
    const again = async () => select(pool, 'select 1 as one').catch(() => select(pool, 'select 1 as one'))
    assert.deepEqual(await again(), [{ one: 1 }])
  })

  it('commits a transaction that resolves, and rolls back one that rejects', async () => {
    await ask(database.url, 'create table numbers (n integer)')
    await pool.transaction((connection) => connection.query('insert into numbers values (1)'))
    const failing = pool.transaction(async (connection) => {
      await connection.query('insert into numbers values (2)')
      throw new Error('stop')
    })
    await assert.rejects(failing)
    assert.deepEqual(await select(pool, 'select n from numbers'), [{ n: 1 }])
  })
})

describe('a database that refuses connections', () => {
  it('is named without the password', async (test) => {
    const database = await testDatabase(test)
    const url = new URL(database.url)
    url.pathname = '/missing'
    url.password = 'hush'
    const pool = open(url.href)
    const refused = failsWith('PGS104', /^The database 127\.0\.0\.1:\d+\/missing refuses the connection/)
    await assert.rejects(select(pool, 'select 1'), refused)
    await pool.close()
  })
})

describe('a server that is killed', () => {
  let server: RunningServer

  before(async () => {
    server = await startServer()
  })

  after(() => server.stop())

  it('is reported as away, and used again when it is back', async () => {
    const pool = open(server.url)
    assert.deepEqual(await select(pool, 'select 1 as one'), [{ one: 1 }])
    const waiting = assert.rejects(
      select(pool, 'select pg_sleep(60)'),
      failsWith('PGS101', /cannot be reached/),
    )
    await select(pool, 'select 1')
    await server.kill()
    await waiting
    await assert.rejects(select(pool, 'select 1'), failsWith('PGS101', /cannot be reached/))
    await server.start()
    assert.deepEqual(await select(pool, 'select 1 as one'), [{ one: 1 }])
    await pool.close()
  })
})

describe('a pooler that refuses settings in the start-up message', () => {
  it('serves a pool, whose sessions have their settings', async (test) => {
    const database = await testDatabase(test)
    const pooled = await openPooler(database.url, 'session', test)
    const pool = open(pooled, { statementMs: 1234, session: { 'test.text': "a b'c\\" } })
    const settings = ['statement_timeout', 'test.text', 'timezone'].map(
      (name) => `current_setting('${name}') as "${name}"`,
    )
    assert.deepEqual(await select(pool, `select ${settings.join()}`), [
      { statement_timeout: '1234ms', 'test.text': "a b'c\\", timezone: 'UTC' },
    ])
    await pool.close()
  })

  it('gives a lock', async (test) => {
    const database = await testDatabase(test)
    const pooled = await openPooler(database.url, 'session', test)
    const lock = await tryAdvisoryLock(pooled, 'refresh')
    assert.ok(lock)
    assert.equal(await tryAdvisoryLock(database.url, 'refresh'), null)
    await lock.release()
  })

  it('takes the service when it gives each connection a session of its own', async (test) => {
    const database = await testDatabase(test)
    const pool = open(await openPooler(database.url, 'session', test))
    await refuseTransactionPooling(pool, pool)
    await pool.close()
  })

  it('is refused when several connections share a session', async (test) => {
    const database = await testDatabase(test)
    const pool = open(await openPooler(database.url, 'transaction', test))
    await assert.rejects(refuseTransactionPooling(pool, pool), failsWith('PGS106', /share one session/))
    await pool.close()
  })

  it('says so when the URL itself asks for settings', async (test) => {
    const database = await testDatabase(test)
    const url = new URL(await openPooler(database.url, 'session', test))
    url.searchParams.set('options', '-c geqo=off')
    const pool = open(url.href)
    await assert.rejects(
      select(pool, 'select 1'),
      failsWith('PGS101', /unsupported startup parameter: options/),
    )
    await pool.close()
  })
})
