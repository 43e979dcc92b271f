/** The promises of what is remembered when reads take their time, as they do while another process has the file. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createAccountSeals } from '../accounts/account-seals.ts'
import { hashApiKey } from '../accounts/api-key.ts'
import type { ControlStore } from '../control-store.ts'
import type { ControlTables } from '../control-tables.ts'
import { createPublishedEndpointCache } from '../endpoints/published-endpoint-cache.ts'
import { controlStorePath, openControlStore } from '../open-stores.ts'
import { definition } from '../testing/endpoint-store.ts'
import { openDataVersion } from './data-version.ts'
import { type OpenQueries, openQueries } from './open-queries.ts'
import { type LatestReads, rememberState } from './remembered-state.ts'

const BY = 'operator:test'
const { readHolder } = createAccountSeals(() => undefined)
let folder: string
let store: ControlStore
let reads: LatestReads
let close: OpenQueries<ControlTables>['close']
let asked: number

function prepareEachTest(): void {
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tripfolio-slow-'))
    store = await openControlStore(folder)
    const path = controlStorePath(folder)
    const connection = new DatabaseSync(path)
    const opened = openQueries<ControlTables>(connection, path)
    reads = { version: openDataVersion(connection, 'call'), ...opened }
    close = opened.close
    asked = 0
  })
  afterEach(async () => {
    await close()
    await store.close()
    rmSync(folder, { recursive: true })
  })
}

/** Answers two turns later, with the state at the time of the call. */
const slowly = (): LatestReads => ({
  ...reads,
  prepare: (query) => {
    const ask = reads.prepare(query)
    return async (values) => {
      asked++
      const rows = await ask(values)
      await nextTurn()
      await nextTurn()
      return rows
    }
  },
})

const issue = async () => {
  const { account, apiKey } = await store.accounts.create({ name: 'Export', clientNumber: 'C1' }, BY)
  return { id: account.id, hash: hashApiKey(apiKey) }
}

describe('accounts that are read slowly', () => {
  prepareEachTest()

  it('are read once for all waiting requests, and then remembered', async () => {
    const { hash } = await issue()
    const lookup = rememberState(slowly()).holderBy('key_hash', readHolder)
    const found = await Promise.all([lookup(hash), lookup(hash), lookup(hash)])
    assert.deepEqual([new Set(found).size, asked], [1, 1])
    assert.equal(lookup(hash), found[0])
  })

  it('are read again after a change that was made while they were read', async () => {
    const { id, hash } = await issue()
    const lookup = rememberState(slowly()).holderBy('key_hash', readHolder)
    const before = lookup(hash)
    await store.accounts.setLocked(id, true, BY)
    const after = lookup(hash)
    assert.deepEqual([(await before)?.locked, (await after)?.locked], [false, true])
    assert.equal((await lookup(hash))?.locked, true)
    assert.equal(asked, 2)
  })

  it('are not remembered when they do not exist', async () => {
    const lookup = rememberState(slowly()).holderBy('key_hash', readHolder)
    assert.equal(await lookup('unknown'), undefined)
    assert.equal(await lookup('unknown'), undefined)
    assert.equal(asked, 2)
  })

  it('are read again after a read that failed', async () => {
    const { hash } = await issue()
    let fails = true
    const failing: LatestReads = {
      ...reads,
      prepare: (query) => {
        const ask = reads.prepare(query)
        return async (values) => (fails ? Promise.reject(new Error('away')) : ask(values))
      },
    }
    const lookup = rememberState(failing).holderBy('key_hash', readHolder)
    await assert.rejects(async () => lookup(hash), /away/)
    fails = false
    assert.equal((await lookup(hash))?.accountName, 'Export')
  })
})

describe('published endpoints that are read slowly', () => {
  prepareEachTest()

  const publish = async () => {
    const { id } = await store.endpoints.create(definition(), BY)
    return store.endpoints.publish(id, BY)
  }

  it('are one array for all waiting requests, and then synchronous', async () => {
    await publish()
    const { current } = createPublishedEndpointCache(rememberState(slowly()))
    const [one, other] = await Promise.all([current(), current()])
    assert.equal(one, other)
    assert.equal(current(), one)
  })

  it('are read again after a change that was made while they were read', async () => {
    const { id } = await publish()
    const { current } = createPublishedEndpointCache(rememberState(slowly()))
    const before = current()
    await store.endpoints.setActive(id, false, BY)
    const after = current()
    assert.notEqual(after, before)
    await before
    assert.deepEqual([await after, await current()], [[], []])
  })
})
