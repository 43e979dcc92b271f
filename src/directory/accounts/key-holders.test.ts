import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { after, describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { controlStorePath } from '../open-stores.ts'
import { openStorePair } from '../testing/store-pair.ts'
import { itOnFiles, openControlStore } from '../testing/stores.ts'
import { hashApiKey } from './api-key.ts'
import { hashPsk } from './psk.ts'

const BY = 'operator:test'
const { folder, here, elsewhere, close } = await openStorePair()
after(close)

const issue = async () => {
  const { account, apiKey } = await here.accounts.create({ name: 'Export', clientNumber: 'C1' }, BY)
  return { id: account.id, keyHash: hashApiKey(apiKey) }
}
const issuePsk = async () => {
  const { id, keyHash } = await issue()
  const { psk } = await here.accounts.issuePsk(id, BY)
  return { id, keyHash, pskHash: hashPsk(psk) }
}

/** What a lookup finds of an account that nothing has happened to. */
const holderOf = (accountId: string) => ({
  accountId,
  accountName: 'Export',
  clientNumber: 'C1',
  active: true,
  locked: false,
  expiresAt: null,
})

/** The hash of a key or psk by which both stores find an account. */
type Issued = { readonly id: string; readonly hash: string }

/** What holds for each of the two ways to look an account up. */
function itSeesEveryChange(way: 'lookup' | 'lookupPsk', issued: () => Promise<Issued>): void {
  itOnFiles('remembers an account while nothing changes', async () => {
    const { hash } = await issued()
    assert.equal(await here.accounts[way](hash), await here.accounts[way](hash))
  })

  it('sees a change made through another store, or through this one, in the very next call', async () => {
    const { id, hash } = await issued()
    for (const store of [elsewhere, here]) {
      for (const locked of [true, false]) {
        await store.accounts.setLocked(id, locked, BY)
        for (const each of [here, elsewhere]) assert.equal((await each.accounts[way](hash))?.locked, locked)
      }
    }
  })
}

describe('lookup', () => {
  itSeesEveryChange('lookup', async () => {
    const { id, keyHash: hash } = await issue()
    return { id, hash }
  })

  it('returns the account behind a hash, and nothing for an unknown one', async () => {
    const { id, keyHash } = await issue()
    assert.deepEqual(await here.accounts.lookup(keyHash), holderOf(id))
    assert.equal(await here.accounts.lookup(hashApiKey('unknown')), undefined)
  })

  itOnFiles('refuses a row that was changed in the file by hand, in the very next call', async () => {
    const { keyHash } = await issue()
    assert.equal((await here.accounts.lookup(keyHash))?.active, true)
    const byHand = new DatabaseSync(controlStorePath(folder))
    byHand.exec('update accounts set active = 0')
    assert.equal(await here.accounts.lookup(keyHash), undefined)
    byHand.exec('update accounts set active = 1')
    assert.equal((await here.accounts.lookup(keyHash))?.active, true)
    byHand.close()
  })

  itOnFiles('sees a change in the next turn when it checks once a turn', async () => {
    const { id, keyHash } = await issue()
    const store = await openControlStore(folder, { freshness: 'turn' })
    for (const locked of [true, false, true]) {
      await here.accounts.setLocked(id, locked, BY)
      await setImmediate()
      assert.equal((await store.accounts.lookup(keyHash))?.locked, locked)
    }
    await store.close()
  })

  itOnFiles('does not see an uncommitted change, and does not wait for it', async () => {
    const { keyHash } = await issue()
    const other = new DatabaseSync(controlStorePath(folder))
    other.exec('begin immediate; update accounts set active = 0')
    assert.equal((await here.accounts.lookup(keyHash))?.active, true)
    other.exec('rollback')
    other.close()
  })
})

describe('lookupPsk', () => {
  itSeesEveryChange('lookupPsk', async () => {
    const { id, pskHash: hash } = await issuePsk()
    return { id, hash }
  })

  it('returns the account behind the hash of a psk, and nothing for an unknown one', async () => {
    const { id, pskHash } = await issuePsk()
    assert.deepEqual(await here.accounts.lookupPsk(pskHash), holderOf(id))
    for (const unknown of [hashPsk(crypto.randomUUID()), hashPsk(''), '', 'null']) {
      assert.equal(await here.accounts.lookupPsk(unknown), undefined)
    }
  })

  it('never takes a psk for an API key, nor an API key for a psk, whichever was remembered first', async () => {
    const { id, keyHash, pskHash } = await issuePsk()
    for (let round = 0; round < 2; round++) {
      assert.equal(await here.accounts.lookupPsk(keyHash), undefined)
      assert.equal(await here.accounts.lookup(pskHash), undefined)
      assert.equal((await here.accounts.lookup(keyHash))?.accountId, id)
      assert.equal((await here.accounts.lookupPsk(pskHash))?.accountId, id)
    }
  })

  it('sees a change even if a lookup by API key has seen it first', async () => {
    const { id, keyHash, pskHash } = await issuePsk()
    assert.equal((await here.accounts.lookupPsk(pskHash))?.accountId, id)
    await elsewhere.accounts.removePsk(id, BY)
    assert.equal((await here.accounts.lookup(keyHash))?.accountId, id)
    assert.equal(await here.accounts.lookupPsk(pskHash), undefined)
  })
})
