import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { type ControlStore, controlStorePath, openControlStore } from '../control-store.ts'
import { hashApiKey } from './api-key.ts'
import { hashPsk } from './psk.ts'

const BY = 'operator:test'
const MINUTE = 60_000
let folder: string
let here: ControlStore
let elsewhere: ControlStore
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tripfolio-lookup-'))
  here = await openControlStore(controlStorePath(folder))
  elsewhere = await openControlStore(controlStorePath(folder))
})
after(async () => {
  await elsewhere.close()
  await here.close()
  rmSync(folder, { recursive: true })
})

const issue = async () => {
  const { account, apiKey } = await here.accounts.create({ name: 'Export', clientNumber: 'C1' }, BY)
  return { id: account.id, keyHash: hashApiKey(apiKey) }
}
const issuePsk = async () => {
  const { id, keyHash } = await issue()
  const { psk } = await here.accounts.issuePsk(id, BY)
  return { id, keyHash, pskHash: hashPsk(psk) }
}
const lastUse = async (id: string) => (await elsewhere.accounts.find(id)).lastUsedAt

describe('lookup', () => {
  it('answers the account behind a hash, and nothing for an unknown one', async () => {
    const { id, keyHash } = await issue()
    assert.deepEqual(here.accounts.lookup(keyHash), {
      accountId: id,
      accountName: 'Export',
      clientNumber: 'C1',
      active: true,
      locked: false,
      expiresAt: null,
    })
    assert.equal(here.accounts.lookup(hashApiKey('unknown')), undefined)
  })

  it('remembers an account while nothing changes', async () => {
    const { keyHash } = await issue()
    assert.equal(here.accounts.lookup(keyHash), here.accounts.lookup(keyHash))
  })

  it('sees a change made through another store, or through this one, in the very next call', async () => {
    const { id, keyHash } = await issue()
    for (const store of [elsewhere, here]) {
      await store.accounts.setLocked(id, true, BY)
      for (const each of [here, elsewhere]) assert.equal(each.accounts.lookup(keyHash)?.locked, true)
      await store.accounts.setLocked(id, false, BY)
      for (const each of [here, elsewhere]) assert.equal(each.accounts.lookup(keyHash)?.locked, false)
    }
  })

  it('sees a change that somebody made in the file by hand', async () => {
    const { keyHash } = await issue()
    assert.equal(here.accounts.lookup(keyHash)?.active, true)
    const byHand = new DatabaseSync(controlStorePath(folder))
    byHand.exec('update accounts set active = 0')
    assert.equal(here.accounts.lookup(keyHash)?.active, false)
    byHand.close()
  })

  it('that asks once a turn sees a change in the next turn', async () => {
    const { keyHash } = await issue()
    const store = await openControlStore(controlStorePath(folder), { freshness: 'turn' })
    const byHand = new DatabaseSync(controlStorePath(folder))
    for (const active of [0, 1, 0]) {
      byHand.exec(`update accounts set active = ${active}`)
      await setImmediate()
      assert.equal(store.accounts.lookup(keyHash)?.active, active === 1)
    }
    byHand.exec('update accounts set active = 1')
    byHand.close()
    await store.close()
  })

  it('sees nothing of a change that is not committed, and does not wait for it', async () => {
    const { keyHash } = await issue()
    const other = new DatabaseSync(controlStorePath(folder))
    other.exec('begin immediate; update accounts set active = 0')
    assert.equal(here.accounts.lookup(keyHash)?.active, true)
    other.exec('rollback')
    other.close()
  })
})

describe('lookupPsk', () => {
  it('answers the account behind the hash of a psk, and nothing for an unknown one', async () => {
    const { id, pskHash } = await issuePsk()
    assert.deepEqual(here.accounts.lookupPsk(pskHash), {
      accountId: id,
      accountName: 'Export',
      clientNumber: 'C1',
      active: true,
      locked: false,
      expiresAt: null,
    })
    for (const unknown of [hashPsk(crypto.randomUUID()), hashPsk(''), '', 'null']) {
      assert.equal(here.accounts.lookupPsk(unknown), undefined)
    }
  })

  it('remembers an account while nothing changes', async () => {
    const { pskHash } = await issuePsk()
    assert.equal(here.accounts.lookupPsk(pskHash), here.accounts.lookupPsk(pskHash))
  })

  it('never takes a psk for an API key nor the other way round, whichever was remembered first', async () => {
    const { id, keyHash, pskHash } = await issuePsk()
    for (let round = 0; round < 2; round++) {
      assert.equal(here.accounts.lookupPsk(keyHash), undefined)
      assert.equal(here.accounts.lookup(pskHash), undefined)
      assert.equal(here.accounts.lookup(keyHash)?.accountId, id)
      assert.equal(here.accounts.lookupPsk(pskHash)?.accountId, id)
    }
  })

  it('sees a change made through another store, or through this one, in the very next call', async () => {
    const { id, pskHash } = await issuePsk()
    for (const store of [elsewhere, here]) {
      await store.accounts.setLocked(id, true, BY)
      for (const each of [here, elsewhere]) assert.equal(each.accounts.lookupPsk(pskHash)?.locked, true)
      await store.accounts.setLocked(id, false, BY)
      for (const each of [here, elsewhere]) assert.equal(each.accounts.lookupPsk(pskHash)?.locked, false)
    }
  })

  it('sees a change even if a lookup by API key has seen it first', async () => {
    const { id, keyHash, pskHash } = await issuePsk()
    assert.equal(here.accounts.lookupPsk(pskHash)?.accountId, id)
    await elsewhere.accounts.removePsk(id, BY)
    assert.equal(here.accounts.lookup(keyHash)?.accountId, id)
    assert.equal(here.accounts.lookupPsk(pskHash), undefined)
  })
})

describe('noteUse', () => {
  it('writes the latest use of an account once a minute', async (t) => {
    const { id } = await issue()
    t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: Date.parse('2030-01-01T00:00:00Z') })
    here.accounts.noteUse(id)
    t.mock.timers.tick(MINUTE - 1)
    here.accounts.noteUse(id)
    assert.equal(await lastUse(id), null)
    t.mock.timers.tick(1)
    assert.equal(await lastUse(id), '2030-01-01T00:00:59.999Z')
    t.mock.timers.tick(MINUTE)
    here.accounts.noteUse(id)
    assert.equal(await lastUse(id), '2030-01-01T00:00:59.999Z')
    t.mock.timers.tick(MINUTE)
    assert.equal(await lastUse(id), '2030-01-01T00:02:00.000Z')
  })

  it('keeps a use that cannot be written now for the next attempt', async (t) => {
    const { id } = await issue()
    const other = new DatabaseSync(controlStorePath(folder))
    t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: Date.parse('2031-01-01T00:00:00Z') })
    here.accounts.noteUse(id)
    other.exec('begin immediate')
    t.mock.timers.tick(MINUTE)
    other.exec('rollback')
    other.close()
    assert.equal(await lastUse(id), null)
    t.mock.timers.tick(1000)
    assert.equal(await lastUse(id), '2031-01-01T00:00:00.000Z')
  })

  it('never goes back to an earlier use that another thread noted', async (t) => {
    const { id } = await issue()
    t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: Date.parse('2032-01-01T00:00:00Z') })
    elsewhere.accounts.noteUse(id)
    t.mock.timers.tick(10)
    here.accounts.noteUse(id)
    t.mock.timers.tick(MINUTE)
    assert.equal(await lastUse(id), '2032-01-01T00:00:00.010Z')
  })

  it('writes the uses of many accounts, batch after batch', async (t) => {
    const ids: string[] = []
    for (let i = 0; i < 450; i++) ids.push((await issue()).id)
    t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: Date.parse('2033-01-01T00:00:00Z') })
    for (const id of ids) here.accounts.noteUse(id)
    const written = async () =>
      (await elsewhere.accounts.list()).filter(({ lastUsedAt }) => lastUsedAt?.startsWith('2033')).length
    t.mock.timers.tick(MINUTE)
    assert.equal(await written(), 200)
    t.mock.timers.tick(20)
    assert.equal(await written(), 400)
    t.mock.timers.tick(20)
    assert.equal(await written(), 450)
  })

  it('writes everything when the store is closed', async () => {
    const { id } = await issue()
    const closing = await openControlStore(controlStorePath(folder))
    closing.accounts.noteUse(id)
    await closing.close()
    assert.match((await lastUse(id)) ?? '', /^\d{4}-/)
  })
})
