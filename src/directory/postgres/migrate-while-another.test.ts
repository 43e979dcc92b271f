/** A node that starts while another one brings the tables up to date, or takes long for it. */
import assert from 'node:assert/strict'
import { hostname } from 'node:os'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { Client } from 'pg'
import { tryAdvisoryLock } from '../../postgres/advisory-locks.ts'
import { ask, testDatabase } from '../../postgres/testing/postgres-server.ts'
import { openTcpProxy } from '../../postgres/testing/tcp-proxy.ts'
import { hasControlStore, openControlStore } from '../open-stores.ts'
import { openPostgresControl, openStorePools } from './open-postgres-stores.ts'

const at = (url: string) => ({ data: '/nowhere', store: url })

/** Another node that brings the tables of the database up to date. */
async function otherNode(url: string) {
  const lock = await tryAdvisoryLock(url, 'store-tables')
  assert.ok(lock)
  return lock
}

/** Opens the store, and tells for whom it waits. */
function open(url: string) {
  const told: [string, string | undefined][] = []
  const { promise: waits, resolve } = Promise.withResolvers<void>()
  const opening = openControlStore(at(url), {
    onWaiting: (...what) => {
      told.push(what)
      resolve()
    },
  })
  opening.catch(() => undefined)
  return { opening, waits, told }
}

describe('a node that starts while another one brings the tables up to date', () => {
  it('says for whom it waits, once, and starts when the other one is done', async (test) => {
    const { url } = await testDatabase(test)
    const other = await otherNode(url)
    const { opening, waits, told } = open(url)
    await waits
    assert.equal(await hasControlStore(at(url)), false)
    await other.release()
    const store = await opening
    assert.equal((await store.accounts.list()).length, 0)
    await store.close()
    const { host, pathname } = new URL(url)
    assert.deepEqual(told, [[`${host}${pathname}`, `${hostname().slice(0, 25)}:${process.pid}`]])
  })

  it('fails when the database goes away meanwhile', async (test) => {
    const { url } = await testDatabase(test)
    const proxy = await openTcpProxy(url, test)
    const other = await otherNode(url)
    const { opening, waits } = open(proxy.url)
    await waits
    await proxy.refuse()
    await assert.rejects(opening, { code: 'PGS101' })
    await other.release()
  })
})

describe('steps that take long', () => {
  /** Lets the steps wait for a connection that has begun the same before them. */
  async function slowSteps(url: string, test: TestContext) {
    const blocker = new Client({ connectionString: url })
    blocker.on('error', () => undefined)
    await blocker.connect()
    test.after(() => blocker.end())
    await blocker.query('begin; create schema tripfolio')
    return { wait: () => stepsWait(url), end: () => blocker.query('rollback') }
  }

  async function stepsWait(url: string): Promise<void> {
    const waiting = `select from pg_stat_activity
      where datname = current_database() and application_name = 'tripfolio tables' and wait_event_type = 'Lock'`
    while ((await ask(url, waiting)).length === 0) await wait(10)
  }

  it('are waited for longer than any statement of an operation', async (test) => {
    const { url } = await testDatabase(test)
    const steps = await slowSteps(url, test)
    const answerMs = 200
    const pools = openStorePools(url, 2, { answerMs })
    const opening = openPostgresControl(pools)
    opening.catch(() => undefined)
    await steps.wait()
    await wait(2 * answerMs)
    await steps.end()
    await (await opening).close()
    await pools.close()
  })

  it('are given up when the server no longer answers', async (test) => {
    const { url } = await testDatabase(test)
    const proxy = await openTcpProxy(url, test)
    const steps = await slowSteps(url, test)
    const { opening } = open(proxy.url)
    await steps.wait()
    proxy.hang()
    await assert.rejects(opening, { code: 'PGS101', message: /did not answer within 2000 ms/ })
  })
})
