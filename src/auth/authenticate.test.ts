import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { hashApiKey } from '../directory/api-key.ts'
import { type ControlStore, controlStorePath, openControlStore } from '../directory/control-store.ts'
import { type Authenticate, createAuthenticator } from './authenticate.ts'

const BY = 'operator:test'
let folder: string
let store: ControlStore
let authenticate: Authenticate
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tripfolio-auth-'))
  store = await openControlStore(controlStorePath(folder))
  authenticate = createAuthenticator(store.accounts)
})
after(async () => {
  await store.close()
  rmSync(folder, { recursive: true })
})

const issue = (expires?: string) => store.accounts.create({ name: 'Export', clientNumber: 'C1', expires }, BY)

describe('authenticate', () => {
  it('answers the principal and the hash of the key, also for a header given as a list of one', async () => {
    const { account, apiKey } = await issue()
    const expected = {
      accountId: account.id,
      accountName: 'Export',
      clientNumber: 'C1',
      keyHash: hashApiKey(apiKey),
    }
    assert.deepEqual(authenticate(apiKey), expected)
    assert.deepEqual(authenticate([apiKey]), expected)
  })

  it('notes the use of a key that opens, and of no other', async () => {
    const used = await issue()
    const locked = await issue()
    await store.accounts.setLocked(locked.account.id, true, BY)
    const process = await openControlStore(controlStorePath(folder))
    const there = createAuthenticator(process.accounts)
    there(used.apiKey)
    there(locked.apiKey)
    await process.close()
    assert.notEqual((await store.accounts.find(used.account.id)).lastUsedAt, null)
    assert.equal((await store.accounts.find(locked.account.id)).lastUsedAt, null)
  })

  it('answers alike for every key that does not open', async (t) => {
    const keys = {
      replaced: await issue(),
      disabled: await issue(),
      locked: await issue(),
      expired: await issue('2999-01-01'),
    }
    await store.accounts.rotate(keys.replaced.account.id, BY)
    await store.accounts.setActive(keys.disabled.account.id, false, BY)
    await store.accounts.setLocked(keys.locked.account.id, true, BY)
    assert.notEqual(authenticate(keys.expired.apiKey), null)
    t.mock.timers.enable({ apis: ['Date'], now: Date.parse('2999-01-01') })
    for (const [state, { apiKey }] of Object.entries(keys)) assert.equal(authenticate(apiKey), null, state)
  })

  it('refuses whatever is no key of ours', async () => {
    const { apiKey } = await issue()
    const wrong = [
      undefined,
      '',
      [],
      [''],
      [apiKey, apiKey],
      `${apiKey}, ${apiKey}`,
      ` ${apiKey}`,
      apiKey.slice(1),
      apiKey.toLowerCase(),
      hashApiKey(apiKey),
      'A'.repeat(64),
      '\u0000'.repeat(64),
      '😀'.repeat(32),
      'x'.repeat(1_000_000),
    ]
    for (const header of wrong) assert.equal(authenticate(header), null, String(header).slice(0, 80))
  })

  it('never throws and never opens for random text', () => {
    const text = fc.string({ unit: 'binary', maxLength: 200 })
    fc.assert(
      fc.property(fc.oneof(text, fc.string({ minLength: 64, maxLength: 64 }), fc.array(text)), (header) => {
        assert.equal(authenticate(header), null)
      }),
    )
  })

  it('lets a key go the moment its account is closed, and back in when it is opened', async () => {
    const { account, apiKey } = await issue()
    await store.accounts.setActive(account.id, false, BY)
    assert.equal(authenticate(apiKey), null)
    await store.accounts.setActive(account.id, true, BY)
    assert.equal(authenticate(apiKey)?.accountId, account.id)
  })
})
