import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type TestDatabase, testDatabase } from '../../postgres/testing/postgres-server.ts'
import { hashApiKey } from '../accounts/api-key.ts'
import { hashPsk } from '../accounts/psk.ts'
import type { ControlStore } from '../control-store.ts'
import type { LatestState } from '../database.ts'
import { openControlStore } from '../open-stores.ts'
import { definition } from '../testing/endpoint-store.ts'
import { gatherState } from './gathered-state.ts'
import { openStorePools, type StorePools } from './store-pools.ts'
import { watchStore } from './store-watch.ts'

const BY = 'operator:test'
let database: TestDatabase
let store: ControlStore
let pools: StorePools
let queries = 0
type Gathered = Pick<LatestState, 'holderBy' | 'endpointRevision'>

/** Counts the queries. */
function gather(mostQueries = 2): Gathered {
  queries = 0
  const { latest } = pools
  const withConnection: typeof latest.withConnection = (work) => {
    queries++
    return latest.withConnection(work)
  }
  return gatherState({ ...latest, withConnection }, mostQueries, watchStore(latest))
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
    assert.equal(queries, 1)
  })

  it('see what was committed before them, even while earlier ones are under way', async () => {
    const { id, key } = await issue()
    const { holderBy } = gather(1)
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

  it('wait for a free query, and are gathered meanwhile', async () => {
    const { id, key } = await issue()
    const { holderBy } = gather(2)
    const waiting: Promise<unknown>[] = []
    for (let turn = 0; turn < 50; turn++) {
      waiting.push(Promise.resolve(holderBy('key_hash')(key)).then((holder) => holder?.accountId))
      await nextTurn()
    }
    assert.deepEqual(new Set(await Promise.all(waiting)), new Set([id]))
    assert.ok(queries < 50, `${queries} queries`)
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
