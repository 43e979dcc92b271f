import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { anyCharacter } from '../../test/fixtures/any-character.ts'
import { hashApiKey } from '../directory/accounts/api-key.ts'
import { hashPsk } from '../directory/accounts/psk.ts'
import type { ControlStore } from '../directory/control-store.ts'
import { openControlStore } from '../directory/open-stores.ts'
import {
  type Authenticate,
  type AuthenticateVersion1,
  createAuthenticator,
  createVersion1Authenticator,
} from './authenticate.ts'

const BY = 'operator:test'
let folder: string
let store: ControlStore
let authenticate: Authenticate
let versionOne: AuthenticateVersion1
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tripfolio-auth-'))
  store = await openControlStore(folder)
  authenticate = createAuthenticator(store.accounts)
  versionOne = createVersion1Authenticator(store.accounts)
})
after(async () => {
  await store.close()
  rmSync(folder, { recursive: true })
})

const issue = (expires?: string) =>
  store.accounts.create({ name: 'Export', clientNumber: 'C1', expiresAt: expires }, BY)

async function issuePsk(expires?: string) {
  const { account, apiKey } = await issue(expires)
  const { psk } = await store.accounts.issuePsk(account.id, BY)
  return { account, apiKey, psk }
}

/** Version 1 with only a psk, and with only an API key. */
const byPsk = (psk: string | readonly string[]) => versionOne({ psk, 'x-api-key': undefined })
const byApiKey = (apiKey: string | readonly string[] | undefined) =>
  versionOne({ psk: undefined, 'x-api-key': apiKey })

describe('authenticate', () => {
  it('returns the principal and the hash of the key, also for a header with a list of one', async () => {
    const { account, apiKey } = await issue()
    const expected = {
      accountId: account.id,
      accountName: 'Export',
      clientNumber: 'C1',
      keyHash: hashApiKey(apiKey),
    }
    assert.deepEqual(await authenticate(apiKey), expected)
    assert.deepEqual(await authenticate([apiKey]), expected)
  })

  it('tells clients apart whose numbers look alike, by key and by psk', async () => {
    const clients = ['K1', 'k1', ' K1', 'K1 ', '\ufeffK1', 'K10', 'K', 'Ｋ1', 'K\u0301', '\u1e30']
    const accounts = await Promise.all(
      clients.map(async (clientNumber) => {
        const { account, apiKey } = await store.accounts.create({ name: 'Alike', clientNumber }, BY)
        const { psk } = await store.accounts.issuePsk(account.id, BY)
        return { accountId: account.id, clientNumber, apiKey, psk }
      }),
    )
    for (const { accountId, clientNumber, apiKey, psk } of accounts) {
      const opened = [await authenticate(apiKey), await byApiKey(apiKey), await byPsk(psk)]
      for (const found of opened)
        assert.deepEqual([found?.accountId, found?.clientNumber], [accountId, clientNumber])
    }
  })

  it('notes the use of valid keys only', async () => {
    const used = await issue()
    const locked = await issue()
    await store.accounts.setLocked(locked.account.id, true, BY)
    const process = await openControlStore(folder)
    const there = createAuthenticator(process.accounts)
    await there(used.apiKey)
    await there(locked.apiKey)
    await process.close()
    assert.notEqual((await store.accounts.find(used.account.id)).lastUsedAt, null)
    assert.equal((await store.accounts.find(locked.account.id)).lastUsedAt, null)
  })

  it('treats all refused keys alike', async (t) => {
    const keys = {
      replaced: await issue(),
      disabled: await issue(),
      locked: await issue(),
      expired: await issue('2999-01-01'),
    }
    await store.accounts.rotate(keys.replaced.account.id, BY)
    await store.accounts.setActive(keys.disabled.account.id, false, BY)
    await store.accounts.setLocked(keys.locked.account.id, true, BY)
    assert.notEqual(await authenticate(keys.expired.apiKey), null)
    t.mock.timers.enable({ apis: ['Date'], now: Date.parse('2999-01-01') })
    for (const [state, { apiKey }] of Object.entries(keys))
      assert.equal(await authenticate(apiKey), null, state)
  })

  it('refuses everything that is not an issued key', async () => {
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
    for (const header of wrong) assert.equal(await authenticate(header), null, String(header).slice(0, 80))
  })

  it('refuses random text without an error', async () => {
    const text = fc.string({ unit: anyCharacter, maxLength: 200 })
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(text, fc.string({ minLength: 64, maxLength: 64 }), fc.array(text)),
        async (header) => {
          assert.equal(await authenticate(header), null)
        },
      ),
    )
  })

  it('refuses a key from the moment its account is closed, and accepts it when the account is open again', async () => {
    const [{ account, apiKey }, other] = [await issue(), await issue()]
    await store.accounts.setActive(account.id, false, BY)
    assert.equal(await authenticate(apiKey), null)
    assert.equal((await authenticate(other.apiKey))?.accountId, other.account.id)
    await store.accounts.setActive(account.id, true, BY)
    assert.equal((await authenticate(apiKey))?.accountId, account.id)
  })
})

describe('authenticate for version 1', () => {
  it('returns the principal and the hash of the psk, also for a header with a list of one', async () => {
    const { account, psk } = await issuePsk()
    const expected = {
      accountId: account.id,
      accountName: 'Export',
      clientNumber: 'C1',
      keyHash: hashPsk(psk),
    }
    assert.deepEqual(await byPsk(psk), expected)
    assert.deepEqual(await byPsk([psk]), expected)
  })

  it('returns the same as version 2 for an API key without a psk', async () => {
    const { apiKey } = await issuePsk()
    assert.notEqual(await authenticate(apiKey), null)
    assert.deepEqual(await byApiKey(apiKey), await authenticate(apiKey))
    assert.deepEqual(await byApiKey([apiKey]), await authenticate(apiKey))
  })

  it('lets the psk decide when both are sent', async () => {
    const one = await issuePsk()
    const other = await issuePsk()
    const cases: readonly [
      psk: string | readonly string[] | undefined,
      apiKey: string,
      opens: string | undefined,
    ][] = [
      [one.psk, other.apiKey, one.account.id],
      [one.psk, 'wrong', one.account.id],
      [undefined, other.apiKey, other.account.id],
      [crypto.randomUUID(), other.apiKey, undefined],
      ['wrong', other.apiKey, undefined],
      ['', other.apiKey, undefined],
      [[], other.apiKey, undefined],
      [other.apiKey, other.apiKey, undefined],
    ]
    for (const [psk, apiKey, opens] of cases) {
      const found = await versionOne({ psk, 'x-api-key': apiKey })
      assert.equal(found?.accountId, opens, String(psk))
    }
  })

  it('refuses a psk as an API key and an API key as a psk', async () => {
    const { apiKey, psk } = await issuePsk()
    assert.equal(await authenticate(psk), null)
    assert.equal(await byApiKey(psk), null)
    assert.equal(await byPsk(apiKey), null)
    assert.equal(await byPsk(hashPsk(psk)), null)
  })

  it('reads a GUID in any letter case, with or without braces, with spaces around it', async () => {
    const { account, psk } = await issuePsk()
    const spaces = fc.integer({ min: 0, max: 5 }).map((count) => ' '.repeat(count))
    const letters = fc.mixedCase(fc.constant(psk))
    const bare = fc.boolean()
    await fc.assert(
      fc.asyncProperty(spaces, letters, bare, spaces, async (before, guid, isBare, after) => {
        const text = `${before}${isBare ? guid : `{${guid}}`}${after}`
        assert.equal((await byPsk(text))?.accountId, account.id)
      }),
    )
  })

  it('refuses everything that is not an issued psk', async () => {
    const { psk } = await issuePsk()
    const hex = psk.replaceAll('-', '')
    const wrong = [
      '',
      ' ',
      [],
      [''],
      [psk, psk],
      `${psk}, ${psk}`,
      `{${psk}`,
      `${psk}}`,
      `{{${psk}}}`,
      `{ ${psk} }`,
      `(${psk})`,
      `"${psk}"`,
      `\t${psk}`,
      `${psk}\n`,
      `urn:uuid:${psk}`,
      hex,
      `{${hex}}`,
      psk.slice(1),
      `${psk}0`,
      psk.replaceAll('-', ' '),
      crypto.randomUUID(),
      '00000000-0000-0000-0000-000000000000',
      '\u0000'.repeat(36),
      '😀'.repeat(18),
      ' '.repeat(1_000_000),
    ]
    for (const header of wrong) assert.equal(await byPsk(header), null, String(header).slice(0, 80))
    assert.equal(await byApiKey(undefined), null)
    assert.notEqual(await byPsk(psk), null)
  })

  it('refuses random text and random GUIDs without an error', async () => {
    const { apiKey } = await issuePsk()
    const text = fc.string({ unit: anyCharacter, maxLength: 200 })
    await fc.assert(
      fc.asyncProperty(fc.oneof(text, fc.uuid(), fc.array(text)), async (psk) => {
        assert.equal(await versionOne({ psk, 'x-api-key': apiKey }), null)
      }),
    )
  })

  it('refuses an issued psk with one changed character', async () => {
    const { psk } = await issuePsk()
    const other = fc.constantFrom(...'0123456789abcdefg-{} ')
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: psk.length - 1 }), other, async (at, character) => {
        fc.pre(psk[at] !== character)
        assert.equal(await byPsk(psk.slice(0, at) + character + psk.slice(at + 1)), null)
      }),
    )
  })

  it('treats all refused psks alike', async (t) => {
    const psks = {
      replaced: await issuePsk(),
      removed: await issuePsk(),
      disabled: await issuePsk(),
      locked: await issuePsk(),
      expired: await issuePsk('2999-01-01'),
    }
    for (const { psk } of Object.values(psks)) assert.notEqual(await byPsk(psk), null)
    await store.accounts.issuePsk(psks.replaced.account.id, BY)
    await store.accounts.removePsk(psks.removed.account.id, BY)
    await store.accounts.setActive(psks.disabled.account.id, false, BY)
    await store.accounts.setLocked(psks.locked.account.id, true, BY)
    t.mock.timers.enable({ apis: ['Date'], now: Date.parse('2999-01-01') })
    for (const [state, { psk }] of Object.entries(psks)) assert.equal(await byPsk(psk), null, state)
  })

  it('hashes and looks up exactly once for any credential', async () => {
    const { apiKey, psk } = await issuePsk()
    const lookedUp: string[] = []
    const { lookup, lookupPsk, noteUse } = store.accounts
    const watched = createVersion1Authenticator({
      lookup: (hash) => lookup(noted('x-api-key', hash)),
      lookupPsk: (hash) => lookupPsk(noted('psk', hash)),
      noteUse,
    })
    const noted = (header: string, hash: string): string => {
      assert.match(hash, /^[0-9a-f]{64}$/)
      lookedUp.push(header)
      return hash
    }
    for (const each of [psk, `{${psk}}`, crypto.randomUUID(), '', 'x', [], [psk, psk], apiKey]) {
      await watched({ psk: each, 'x-api-key': apiKey })
      assert.deepEqual(lookedUp.splice(0), ['psk'], String(each))
    }
    for (const each of [apiKey, undefined, '', 'x', [], [apiKey, apiKey], psk]) {
      await watched({ psk: undefined, 'x-api-key': each })
      assert.deepEqual(lookedUp.splice(0), ['x-api-key'], String(each))
    }
  })

  it('notes the use of accounts with a valid psk only', async () => {
    const used = await issuePsk()
    const locked = await issuePsk()
    await store.accounts.setLocked(locked.account.id, true, BY)
    const process = await openControlStore(folder)
    const there = createVersion1Authenticator(process.accounts)
    for (const { psk } of [used, locked]) await there({ psk, 'x-api-key': undefined })
    await process.close()
    assert.notEqual((await store.accounts.find(used.account.id)).lastUsedAt, null)
    assert.equal((await store.accounts.find(locked.account.id)).lastUsedAt, null)
  })

  it('returns a hash that can rotate the key for an API key only, not for a psk', async () => {
    const { apiKey, psk } = await issuePsk()
    const rotate = (found: Awaited<ReturnType<AuthenticateVersion1>>) =>
      store.accounts.rotateOwnKey(found?.keyHash ?? assert.fail('not authenticated'))
    assert.equal(await rotate(await byPsk(psk)), null)
    assert.notEqual(await byApiKey(apiKey), null)
    assert.notEqual(await rotate(await byApiKey(apiKey)), null)
  })
})
