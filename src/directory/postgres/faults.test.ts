/** What the stores promise while their server is away, while connections break, and while all of them are in use. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { Problem } from '../../kernel/problem.ts'
import { lockCall } from '../../postgres/advisory-locks.ts'
import { ask, type RunningServer, startServer } from '../../postgres/testing/postgres-server.ts'
import { createAccountSeals } from '../accounts/account-seals.ts'
import { hashApiKey } from '../accounts/api-key.ts'
import { createControlStore } from '../control-store.ts'
import { openControlStore } from '../open-stores.ts'
import { openScratchDatabase } from '../sqlite/scratch-database.ts'
import { openPostgresControl, openStorePools } from './open-postgres-stores.ts'

const BY = 'operator:test'
let server: RunningServer
before(async () => {
  server = await startServer()
})
after(() => server.stop())

const openStore = async (onWriting: (reason: string | null, isAway?: boolean) => void = () => undefined) =>
  openControlStore({ data: '/nowhere', store: server.url }, { onWriting })

/** The store of a thread with four connections for operations and one for look-ups. */
async function openPatiently(limits: { statementMs?: number; waitMs?: number }) {
  const pools = openStorePools(server.url, 5, limits)
  const database = await openPostgresControl(pools)
  const store = createControlStore(
    { ...database, scratch: openScratchDatabase },
    createAccountSeals(() => undefined),
  )
  return { ...store, close: () => store.close().finally(pools.close) }
}

const failsWith =
  (...codes: string[]) =>
  (error: unknown) => {
    assert.ok(error instanceof Problem, String(error))
    assert.ok(codes.includes(error.code), `${error.code}: ${error.message}`)
    return true
  }

const AWAY = failsWith('PGS101')

const connections = async (): Promise<number> => {
  const rows = await ask<{ n: string }>(
    server.url,
    "select count(*) as n from pg_stat_activity where application_name like 'tripfolio%'",
  )
  return Number(rows[0]?.n)
}

/** The server notices a moment later. */
async function allClosed(): Promise<void> {
  while ((await connections()) > 0) await wait(10)
}

const issue = async ({ accounts }: Awaited<ReturnType<typeof openStore>>) => {
  const { account, apiKey } = await accounts.create({ name: 'Export', clientNumber: 'C1' }, BY)
  return { id: account.id, hash: hashApiKey(apiKey) }
}

describe('a store whose server is killed and started again', () => {
  it('refuses look-ups and changes, tells it once, and works again without a request', async () => {
    const told: [string | null, boolean | undefined][] = []
    let onTold = new EventTarget()
    const store = await openStore((reason, isAway) => {
      told.push([reason, isAway])
      onTold.dispatchEvent(new Event('told'))
    })
    const { id, hash } = await issue(store)
    assert.equal((await store.accounts.lookup(hash))?.accountId, id)
    const waiting = Array.from({ length: 20 }, async () => store.accounts.lookup(hash))
    const beforeIt = await Promise.all(waiting)
    assert.ok(beforeIt.every((holder) => holder?.accountId === id))
    await server.kill()
    for (let round = 0; round < 3; round++) {
      await assert.rejects(async () => store.accounts.lookup(hash), AWAY)
      await assert.rejects(async () => store.endpoints.current(), AWAY)
      await assert.rejects(store.accounts.setLocked(id, true, BY), AWAY)
      await assert.rejects(store.accounts.rotateOwnKey(hash), AWAY)
    }
    assert.equal(told.length, 1)
    assert.match(String(told[0]?.[0]), /cannot be reached.*PostgreSQL is running/s)
    assert.equal(told[0]?.[1], true)
    onTold = new EventTarget()
    const back = once(onTold, 'told')
    await server.start()
    await back
    assert.deepEqual(told.slice(1), [[null, undefined]])
    assert.deepEqual([(await store.accounts.lookup(hash))?.locked, told.length], [false, 2])
    await store.accounts.setLocked(id, true, BY)
    assert.equal((await store.accounts.lookup(hash))?.locked, true)
    await store.close()
    await allClosed()
  })
})

describe('a store whose connections are cut', () => {
  it('answers with the truth or a problem, and opens no more connections than it may', async () => {
    const store = await openPatiently({})
    const { id, hash } = await issue(store)
    let locked = false
    for (let round = 0; round < 10; round++) {
      const lookups = Promise.allSettled(Array.from({ length: 10 }, async () => store.accounts.lookup(hash)))
      const change = store.accounts.setLocked(id, !locked, BY).catch(AWAY)
      await ask(
        server.url,
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'tripfolio%'",
      )
      for (const outcome of await lookups) {
        if (outcome.status === 'fulfilled') assert.equal(outcome.value?.accountId, id)
        else AWAY(outcome.reason)
      }
      await change
      // A connection that was cut while it was idle may be met by the next query, once.
      const state = await store.accounts.find(id).catch(() => store.accounts.find(id))
      locked = state.locked
      assert.equal((await settled(() => store.accounts.lookup(hash)))?.locked, locked)
      assert.ok((await connections()) <= 5)
    }
    await store.close()
    await allClosed()
  })
})

async function settled<T>(look: () => T): Promise<Awaited<T>> {
  try {
    return await look()
  } catch {
    return await look()
  }
}

describe('a store whose writers wait', () => {
  it('gives up after the time of a statement, and goes on when the others are done', async () => {
    const store = await openPatiently({ statementMs: 150, waitMs: 300 })
    const { id, hash } = await issue(store)
    const other = await openPatiently({})
    const holding = holdWrites()
    await holding.held
    await assert.rejects(store.accounts.setLocked(id, true, BY), failsWith('PGS103'))
    // Four wait for the lock, and the rest for a connection.
    const many = await Promise.allSettled(
      Array.from({ length: 12 }, () => store.accounts.setLocked(id, true, BY)),
    )
    for (const outcome of many) {
      assert.equal(outcome.status, 'rejected')
      if (outcome.status === 'rejected') failsWith('PGS102', 'PGS103')(outcome.reason)
    }
    // Look-ups have connections of their own, and wait for no writer.
    assert.equal((await store.accounts.lookup(hash))?.locked, false)
    await holding.release()
    await store.accounts.setLocked(id, true, BY)
    assert.equal((await other.accounts.lookup(hash))?.locked, true)
    await store.close()
    await other.close()
  })
})

/** Another writer, in the middle of its transaction. */
function holdWrites() {
  const until = new AbortController()
  const held = Promise.withResolvers<void>()
  const done = (async () => {
    const pools = openStorePools(server.url, 2)
    await pools.work.transaction(async (connection) => {
      await connection.query(`select ${lockCall('pg_advisory_xact_lock', 'control-writes')}`)
      held.resolve()
      await wait(60_000, undefined, { signal: until.signal }).catch(() => undefined)
    })
    await pools.close()
  })()
  return {
    held: held.promise,
    release: async () => {
      until.abort()
      await done
    },
  }
}
