import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { ask, type TestDatabase, testDatabase } from '../../postgres/testing/postgres-server.ts'
import { createAccountSeals } from '../accounts/account-seals.ts'
import { hashApiKey } from '../accounts/api-key.ts'
import type { HashColumn } from '../accounts/key-holder.ts'
import { hashPsk } from '../accounts/psk.ts'
import type { ControlStore } from '../control-store.ts'
import { openControlStore } from '../open-stores.ts'
import { definition } from '../testing/endpoint-store.ts'
import { gatherState } from './gathered-state.ts'
import { openStorePools, type StorePools } from './store-pools.ts'
import { watchStore } from './store-watch.ts'

const BY = 'operator:test'
const { readHolder } = createAccountSeals(() => undefined)
let database: TestDatabase
let store: ControlStore
let pools: StorePools
/** What was asked of the server: revisions only, or accounts too. */
let asked: ('revisions' | 'accounts')[] = []
let close: () => void = () => undefined

/** Ends the connections for look-ups, as a restart of the server does. */
const endConnections = () =>
  ask(
    database.url,
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity
     where datname = current_database() and application_name = 'tripfolio look-ups'`,
  )

function gather() {
  close()
  asked = []
  const { latest } = pools
  const hold: typeof latest.hold = async () => {
    const held = await latest.hold()
    const query = (...args: [{ name?: string }]) => {
      asked.push(args[0].name === 'look-ups' ? 'accounts' : 'revisions')
      return Reflect.apply(held.connection.query, held.connection, args)
    }
    return { ...held, connection: new Proxy(held.connection, { get: () => query }) }
  }
  const gathered = gatherState({ hold }, watchStore(latest))
  close = gathered.close
  return { ...gathered, holderBy: (column: HashColumn) => gathered.holderBy(column, readHolder) }
}

const issue = async () => {
  const { account, apiKey } = await store.accounts.create({ name: 'Export', clientNumber: 'C1' }, BY)
  const { psk } = await store.accounts.issuePsk(account.id, BY)
  return { id: account.id, key: hashApiKey(apiKey), psk: hashPsk(psk) }
}

describe('the look-ups of one turn', () => {
  before(async () => {
    database = await testDatabase()
    store = await openControlStore({ data: '/nowhere', store: database.url })
    pools = openStorePools(database.url, 4)
  })
  after(async () => {
    close()
    await store.close()
    await pools.close()
    await database.drop()
  })

  it('are one query, whatever they look for', async () => {
    const [one, other] = [await issue(), await issue()]
    const { holderBy, endpointRevision } = gather()
    const found = await Promise.all([
      holderBy('key_hash')(one.key),
      holderBy('key_hash')(other.key),
      holderBy('psk_hash')(one.psk),
      holderBy('key_hash')(one.psk),
      holderBy('psk_hash')(other.key),
      holderBy('key_hash')('unknown'),
      endpointRevision(),
    ])
    const ids = found.map((each) => (typeof each === 'object' ? each.accountId : each))
    assert.deepEqual(ids, [one.id, other.id, one.id, undefined, undefined, undefined, 0])
    assert.deepEqual(asked, ['accounts'])
  })

  it('see what was committed before them, even while earlier ones are under way', async () => {
    const { id, key } = await issue()
    const { holderBy } = gather()
    const lookup = holderBy('key_hash')
    for (const locked of [true, false, true]) {
      const earlier = lookup(key)
      await nextTurn()
      await store.accounts.setLocked(id, locked, BY)
      const later = lookup(key)
      await earlier
      assert.equal((await later)?.locked, locked)
    }
  })

  it('read no account again while none has changed', async () => {
    const [one, other] = [await issue(), await issue()]
    const { holderBy } = gather()
    const [byKey, byPsk] = [holderBy('key_hash'), holderBy('psk_hash')]
    await Promise.all([byKey(one.key), byPsk(one.psk)])
    store.accounts.noteUse(one.id)
    await Promise.all([byKey(one.key), byPsk(one.psk)])
    await Promise.all([byKey(one.key), byKey(other.key)])
    await store.accounts.setLocked(other.id, true, BY)
    const [first, second] = await Promise.all([byKey(one.key), byKey(other.key)])
    assert.deepEqual([first?.locked, second?.locked], [false, true])
    assert.deepEqual(asked, ['accounts', 'revisions', 'accounts', 'revisions', 'accounts'])
  })

  it('look for an unknown key every time', async () => {
    const lookup = gather().holderBy('key_hash')
    for (let round = 0; round < 2; round++) assert.equal(await lookup('unknown'), undefined)
    assert.deepEqual(asked, ['accounts', 'accounts'])
  })

  const byHand = {
    locked: 'locked = 1',
    disabled: 'active = 0',
    expired: "expires_at = '2020-01-01T00:00:00.000Z'",
    renamed: "name = 'Other'",
    moved: "client_number = 'C2'",
    rotated: "key_hash = 'other'",
  } as const
  for (const [title, change] of Object.entries(byHand)) {
    it(`see that an account was ${title} by hand`, async () => {
      const { id, key } = await issue()
      const lookup = gather().holderBy('key_hash')
      const before = await lookup(key)
      await ask(database.url, `update tripfolio.accounts set ${change} where id = '${id}'`)
      assert.notDeepEqual(await lookup(key), before)
      await ask(database.url, `delete from tripfolio.accounts where id = '${id}'`)
      assert.equal(await lookup(key), undefined)
    })
  }

  it('know nothing of what an earlier connection has read, such as one to a server before it was restored', async () => {
    const { id, key } = await issue()
    const lookup = gather().holderBy('key_hash')
    assert.equal((await lookup(key))?.locked, false)
    // The state is another one, the revision is the same.
    await ask(
      database.url,
      `begin; alter table tripfolio.accounts disable trigger user;
       update tripfolio.accounts set locked = 1 where id = '${id}';
       alter table tripfolio.accounts enable trigger user; commit`,
    )
    assert.equal((await lookup(key))?.locked, false)
    await endConnections()
    const again = async () => {
      for (;;) {
        const found = await Promise.resolve(lookup(key)).catch(() => 'away' as const)
        if (found !== 'away') return found
      }
    }
    assert.equal(await again(), undefined, 'a row that was changed by hand does not match its seal')
  })

  it('wait for a free query, and are gathered meanwhile', async () => {
    const { id, key } = await issue()
    const { holderBy } = gather()
    const waiting: Promise<unknown>[] = []
    for (let turn = 0; turn < 50; turn++) {
      waiting.push(Promise.resolve(holderBy('key_hash')(key)).then((holder) => holder?.accountId))
      await nextTurn()
    }
    assert.deepEqual(new Set(await Promise.all(waiting)), new Set([id]))
    assert.ok(asked.length < 50, `${asked.length} queries`)
  })

  it('see a new revision of the endpoints', async () => {
    const { endpointRevision } = gather()
    const before = await endpointRevision()
    const { id } = await store.endpoints.create(definition(), BY)
    assert.equal(await endpointRevision(), before)
    await store.endpoints.publish(id, BY)
    assert.equal(await endpointRevision(), before + 1)
  })

  it('find nothing by a hash that PostgreSQL cannot hold', async () => {
    assert.equal(await gather().holderBy('key_hash')('\0'), undefined)
  })
})
