import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { Problem } from '../../kernel/problem.ts'
import { ask, type RunningServer, startServer } from '../../postgres/testing/postgres-server.ts'
import { openTcpProxy } from '../../postgres/testing/tcp-proxy.ts'
import { OverBudget } from '../work-budget.ts'
import { openRecordServer, type RecordServer, type ServerOptions } from './server.ts'
import type { Statement } from './statements.ts'

const sleep: Statement = { text: "select 'slept' as records from pg_sleep($1)", values: [300] }
const one: Statement = { text: 'select $1::text as records', values: ['one'] }

const MOST_TRIES = 3000

const answer = async (server: RecordServer, statement: Statement) => {
  const { records, ...rest } = await server.ask(statement, undefined)
  return { ...rest, records: records?.toString() }
}

const hasCode = (code: string) => (cause: unknown) => {
  assert.ok(cause instanceof Problem, String(cause))
  assert.equal(cause.code, code)
  return true
}

describe('statements on the server', () => {
  let postgres: RunningServer
  before(async () => {
    postgres = await startServer()
  })
  after(() => postgres.stop())

  const open = (options: Partial<ServerOptions> = {}): RecordServer =>
    openRecordServer({ url: postgres.url, connections: 2, cpuMs: Infinity, ...options })

  /** What the connections of the engine do. */
  const activity = (): Promise<readonly { pid: number; state: string; query: string }[]> =>
    ask(
      postgres.url,
      "select pid, state, query from pg_stat_activity where application_name = 'tripfolio engine'",
    )

  const until = async (isSo: (found: Awaited<ReturnType<typeof activity>>) => boolean) => {
    for (let tries = 0; !isSo(await activity()); tries++) {
      assert.ok(tries < MOST_TRIES, 'The connections never came to this')
      await wait(10)
    }
  }
  const isAsleep = (found: Awaited<ReturnType<typeof activity>>) =>
    found.some(({ state, query }) => state === 'active' && query.includes('pg_sleep'))

  /** The server may tell of the end of a statement a moment before its activity shows it, but long before the sleep is over. */
  const isAwake = (found: Awaited<ReturnType<typeof activity>>) => !isAsleep(found)

  it('answers with one row', async () => {
    const server = open()
    assert.deepEqual(await answer(server, one), { records: 'one' })
    await server.close()
  })

  it('waits no longer than a moment for a server that says nothing, and uses it again when it does', async (test) => {
    const proxy = await openTcpProxy(postgres.url, test)
    const server = open({ url: proxy.url, connections: 1, cpuMs: 100 })
    assert.deepEqual(await answer(server, one), { records: 'one' })
    proxy.hang()
    await assert.rejects(server.ask(one, undefined), hasCode('PGS101'))
    await proxy.restore()
    assert.deepEqual(await answer(server, one), { records: 'one' })
    await server.close()
  })

  it('ends the statement of a caller who left, in the server too', async () => {
    const server = open()
    const cancellation = new AbortController()
    const reason = new Error('The caller left')
    const asked = assert.rejects(server.ask(sleep, cancellation.signal), reason)
    await until(isAsleep)
    cancellation.abort(reason)
    await asked
    await until(isAwake)
    assert.deepEqual(await answer(server, one), { records: 'one' })
    await server.close()
  })

  it('ends the statement of a caller whose leaving must be polled', async () => {
    const server = open()
    const cancellation = { aborted: false, reason: new Error('The run was stopped') }
    const asked = assert.rejects(server.ask(sleep, cancellation), cancellation.reason)
    await until(isAsleep)
    cancellation.aborted = true
    await asked
    await until(isAwake)
    await server.close()
  })

  it('asks nothing for a caller who has left already', async () => {
    const server = open()
    const reason = new Error('The caller left')
    await assert.rejects(server.ask(one, AbortSignal.abort(reason)), reason)
    assert.deepEqual(await activity(), [])
    await server.close()
  })

  it('stops a statement that exceeds the budget of a request', async () => {
    const server = open({ cpuMs: 100 })
    await assert.rejects(server.ask(sleep, undefined), (cause) => {
      assert.ok(cause instanceof OverBudget)
      assert.deepEqual(cause.overrun, { kind: 'cpu', limit: 100 })
      return true
    })
    await server.close()
  })

  it('tells that all connections are busy', async () => {
    const server = open({ connections: 1, waitMs: 2000 })
    const cancellation = new AbortController()
    const asked = assert.rejects(server.ask(sleep, cancellation.signal))
    await until(isAsleep)
    await assert.rejects(server.ask(one, undefined), hasCode('PGS102'))
    cancellation.abort(new Error('enough'))
    await asked
    await server.close()
  })

  it('gives the connection back after each statement', async () => {
    const server = open({ connections: 1 })
    for (let times = 0; times < 3; times++) assert.deepEqual(await answer(server, one), { records: 'one' })
    assert.equal((await activity()).length, 1)
    await server.close()
  })

  it('gives the bytes of a long text as they are, beside a total', async () => {
    const server = open()
    const text = 'A𝄞é,'.repeat(100_000)
    const statement = { text: 'select 7::bigint as total, $1::text as records', values: [text] }
    assert.deepEqual(await answer(server, statement), { total: 7, records: text })
    await server.close()
  })

  it('keeps the plans of statements, but not of those that are planned for their values', async () => {
    const server = open({ connections: 1 })
    const named: Statement = {
      text: 'select count(*) as total, null as records from pg_prepared_statements',
      values: [],
    }
    assert.equal((await server.ask({ ...named, plannedAnew: true }, undefined)).total, 0)
    assert.equal((await server.ask(named, undefined)).total, 1)
    assert.equal((await server.ask({ ...named, plannedAnew: true }, undefined)).total, 1)
    await server.close()
  })

  it('has no records for null and for no row', async () => {
    const server = open()
    const nothing = { text: 'select null::text as records where $1', values: [false] }
    const unknown = { text: 'select null::text as records where $1', values: [true] }
    assert.deepEqual(await server.ask(nothing, undefined), { records: null })
    assert.deepEqual(await server.ask(unknown, undefined), { records: null })
    await server.close()
  })

  it('sends numbers, texts and lists of both', async () => {
    const server = open()
    const texts = ['plain', 'a "quote"', 'back\\slash', '{,}', '', 'NULL', 'é𝄞']
    const statement = {
      text: "select concat_ws('|', $1::integer, $2::text, array_to_json($3::integer[]), array_to_json($4::text[])) as records",
      values: [5, 'x', [1, -2], texts],
    }
    const records = `5|x|[1,-2]|${JSON.stringify(texts)}`
    assert.deepEqual(await answer(server, statement), { records })
    await server.close()
  })

  it('answers after a statement with a mistake', async () => {
    const server = open({ connections: 1 })
    await assert.rejects(server.ask({ text: 'select nothing', values: [] }, undefined), hasCode('PGS105'))
    assert.deepEqual(await answer(server, one), { records: 'one' })
    await server.close()
  })

  it('says that the server is away, and answers when it is back', async () => {
    const server = open()
    assert.deepEqual(await answer(server, one), { records: 'one' })
    await postgres.kill()
    await assert.rejects(server.ask(one, undefined), hasCode('PGS101'))
    await postgres.start()
    assert.deepEqual(await answer(server, one), { records: 'one' })
    await server.close()
  })
})
