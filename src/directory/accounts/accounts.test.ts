import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { Problem } from '../../kernel/problem.ts'
import type { ControlStore } from '../control-store.ts'
import { itOnFiles, openControlStore, withoutTrail } from '../testing/stores.ts'
import { type AccountDraft, isUsable } from './account.ts'
import { hashApiKey } from './api-key.ts'
import { hashPsk } from './psk.ts'

const BY = 'operator:test'
let folder: string
let store: ControlStore
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tripfolio-accounts-'))
  store = await openControlStore(folder)
})
after(async () => {
  await store.close()
  rmSync(folder, { recursive: true })
})

let names = 0
const issue = (draft: Partial<AccountDraft> = {}) =>
  store.accounts.create({ name: `Account ${++names}`, clientNumber: 'C1', ...draft }, BY)

const opens = async (key: string, through = store): Promise<boolean> => {
  const holder = await through.accounts.lookup(hashApiKey(key))
  return holder !== undefined && isUsable(holder, new Date())
}

const pskOpens = async (psk: string): Promise<boolean> => {
  const holder = await store.accounts.lookupPsk(hashPsk(psk))
  return holder !== undefined && isUsable(holder, new Date())
}

const rejectsWith =
  (code: string, hint = /./) =>
  (error: unknown) => {
    assert.ok(error instanceof Problem)
    assert.equal(error.code, code)
    assert.match(error.hint ?? '-', hint)
    return true
  }

describe('create', () => {
  it('returns the account and a key of 64 base64 characters that is accepted at once', async () => {
    const { account, apiKey } = await issue({ name: ' Nightly export ', expiresAt: '2999-12-31' })
    assert.match(apiKey, /^[A-Za-z0-9+/]{64}$/)
    assert.equal(Buffer.from(apiKey, 'base64').length, 48)
    assert.match(account.id, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    assert.deepEqual(
      { ...account, id: '', createdAt: '' },
      {
        id: '',
        name: 'Nightly export',
        clientNumber: 'C1',
        active: true,
        locked: false,
        expiresAt: '2999-12-31T00:00:00.000Z',
        lastUsedAt: null,
        createdAt: '',
        rotatedAt: null,
        pskIssuedAt: null,
        notes: null,
      },
    )
    assert.ok(await opens(apiKey))
  })

  itOnFiles('stores no key, only its hash', async () => {
    const { apiKey } = await issue()
    const rotated = await store.accounts.rotateOwnKey(hashApiKey(apiKey))
    const stored = bytesOf(folder, 'control.db', 'control.db-wal')
    assert.ok(stored.includes(hashApiKey(rotated?.apiKey ?? '')))
    for (const key of [apiKey, rotated?.apiKey ?? '']) assert.ok(!stored.includes(key))
  })

  const refused: readonly [what: string, draft: Partial<AccountDraft>, code: string][] = [
    ['an empty name', { name: '  ' }, 'DIR203'],
    ['a name of 101 characters', { name: 'é'.repeat(101) }, 'DIR203'],
    ['a name with a line break', { name: 'a\nb' }, 'DIR203'],
    ['an empty client number', { clientNumber: '' }, 'DIR203'],
    ['a client number of blanks', { clientNumber: ' ' }, 'DIR203'],
    ['a client number with a tab', { clientNumber: 'A\tB' }, 'DIR203'],
    ['a client number with half a character', { clientNumber: 'A\ud83d' }, 'DIR203'],
    ['a client number of 21 characters', { clientNumber: 'C'.repeat(21) }, 'DIR203'],
    ['an expiry that is not a date', { expiresAt: 'tomorrow' }, 'DIR204'],
    ['an expiry that is not in the calendar', { expiresAt: '2999-02-30' }, 'DIR204'],
    ['notes that are too long', { notes: 'x'.repeat(1001) }, 'DIR316'],
    ['an expiry that is past', { expiresAt: '2020-01-01T00:00Z' }, 'DIR204'],
  ]
  for (const [what, draft, code] of refused) {
    it(`refuses ${what}`, async () => {
      const count = (await store.accounts.list()).length
      await assert.rejects(issue(draft), rejectsWith(code))
      assert.equal((await store.accounts.list()).length, count)
    })
  }

  it('keeps a client number as it is given: a blank or another letter case makes another client', async () => {
    for (const clientNumber of [
      'K1',
      '\u00a0K1',
      'K1 ',
      'k1',
      'K1\u3000',
      '\ufeffK1',
      '\ufeff',
      '\u2028K1',
      '\u212b1',
      'A\u030a1',
    ]) {
      const { account } = await issue({ clientNumber })
      assert.equal(account.clientNumber, clientNumber)
    }
  })

  it('reads an expiry with a zone as that moment', async () => {
    const { account } = await issue({ expiresAt: '2999-06-30T17:00+10:00' })
    assert.equal(account.expiresAt, '2999-06-30T07:00:00.000Z')
  })
})

describe('list', () => {
  it('orders by client, then name, and carries no hash', async () => {
    await issue({ clientNumber: 'A2', name: 'b' })
    await issue({ clientNumber: 'A2', name: 'a' })
    await issue({ clientNumber: 'A1', name: 'z' })
    const accounts = await store.accounts.list()
    assert.deepEqual(
      accounts.slice(0, 3).map(({ clientNumber, name }) => clientNumber + name),
      ['A1z', 'A2a', 'A2b'],
    )
    assert.ok(!JSON.stringify(accounts).includes('ash'))
  })

  it('shows when a psk was issued, but not the psk', async () => {
    const { account } = await issue()
    const { psk } = await store.accounts.issuePsk(account.id, BY)
    const accounts = await store.accounts.list()
    assert.ok(accounts.find(({ id }) => id === account.id)?.pskIssuedAt)
    const listed = JSON.stringify(accounts)
    for (const secret of [psk, hashPsk(psk)]) assert.ok(!listed.includes(secret))
  })
})

describe('find', () => {
  it('finds by id in any letter case, by the beginning of an id, and by exact name', async () => {
    const { account } = await issue({ name: 'Findable export' })
    for (const reference of [
      account.id,
      account.id.toUpperCase(),
      account.id.slice(0, 13),
      'Findable export',
    ]) {
      assert.equal((await store.accounts.find(reference)).id, account.id)
    }
  })

  it('knows an account by its whole id only where a beginning of it is not asked for', async () => {
    const { account } = await issue()
    assert.deepEqual(await store.accounts.byId(account.id), account)
    for (const part of [account.id.slice(0, 8), account.id.slice(0, 35), '%', ''])
      assert.equal(await store.accounts.byId(part), null, part)
  })

  it('refuses a name that two accounts have, naming their ids', async () => {
    const first = await issue({ name: 'Twin' })
    const second = await issue({ name: 'Twin' })
    await assert.rejects(
      store.accounts.find('Twin'),
      rejectsWith('DIR202', new RegExp(`${first.account.id}|${second.account.id}`)),
    )
  })

  it('refuses text that is the name of one account and the beginning of the id of another', async () => {
    const { account } = await issue()
    await issue({ name: account.id.slice(0, 8) })
    await assert.rejects(store.accounts.find(account.id.slice(0, 8)), rejectsWith('DIR202'))
    assert.equal((await store.accounts.find(account.id)).id, account.id)
  })

  it('refuses text without a match and names the nearest account name if there is one', async () => {
    await issue({ name: 'Power BI gateway' })
    await assert.rejects(store.accounts.find('Power BI gatewya'), rejectsWith('DIR201', /'Power BI gateway'/))
    await assert.rejects(store.accounts.find('zzzzzzzzzzzz'), rejectsWith('DIR201', /first four characters/))
  })

  for (const reference of ['', '%', '____', 'a%', "' or 1=1 --"]) {
    it(`takes '${reference}' for text, not for a pattern`, async () => {
      await assert.rejects(store.accounts.find(reference), rejectsWith('DIR201'))
    })
  }
})

describe('rotate', () => {
  it('returns a new key that replaces the old one', async () => {
    const { account, apiKey } = await issue()
    const rotated = await store.accounts.rotate(account.id, BY)
    assert.deepEqual({ ...rotated.account, rotatedAt: null }, account)
    assert.match(rotated.account.rotatedAt ?? '', /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)
    assert.deepEqual([await opens(apiKey), await opens(rotated.apiKey)], [false, true])
  })

  it('leaves a locked account locked', async () => {
    const { account } = await issue()
    await store.accounts.setLocked(account.id, true, BY)
    const { apiKey } = await store.accounts.rotate(account.id, BY)
    assert.equal(await opens(apiKey), false)
    await store.accounts.setLocked(account.id, false, BY)
    assert.equal(await opens(apiKey), true)
  })

  it('refuses an account that does not exist and leaves the store usable', async () => {
    await assert.rejects(store.accounts.rotate(crypto.randomUUID(), BY), rejectsWith('DIR201'))
    await issue()
  })
})

describe('setActive and setLocked', () => {
  it('each close an account', async () => {
    const { account, apiKey } = await issue()
    const { setActive, setLocked } = store.accounts
    const steps = [
      [() => setActive(account.id, false, BY), false],
      [() => setLocked(account.id, true, BY), false],
      [() => setActive(account.id, true, BY), false],
      [() => setLocked(account.id, false, BY), true],
    ] as const
    for (const [step, expected] of steps) {
      await step()
      assert.equal(await opens(apiKey), expected)
    }
  })

  it('return the account and leave no second audit entry when nothing changes', async () => {
    const { account } = await issue()
    await store.accounts.setActive(account.id, false, BY)
    assert.equal((await store.accounts.setActive(account.id, false, BY)).active, false)
    assert.equal((await store.accounts.history(account.id)).length, 2)
  })

  it('refuse an account that does not exist', async () => {
    await assert.rejects(store.accounts.setLocked(crypto.randomUUID(), true, BY), rejectsWith('DIR201'))
  })
})

describe('rotateOwnKey', () => {
  it('replaces the key of its holder and returns the four members of the specification', async () => {
    const { account, apiKey } = await issue()
    const rotated = await store.accounts.rotateOwnKey(hashApiKey(apiKey))
    assert.ok(rotated !== null)
    assert.deepEqual(Object.keys(rotated).sort(), ['apiKey', 'id', 'name', 'rotatedAt'])
    assert.deepEqual([rotated.id, rotated.name], [account.id, account.name])
    assert.equal(new Date(rotated.rotatedAt).toISOString(), rotated.rotatedAt)
    assert.deepEqual([await opens(apiKey), await opens(rotated.apiKey)], [false, true])
  })

  it('returns null for a key that is unknown, replaced, disabled, locked or expired, and changes nothing', async (t) => {
    const { account, apiKey } = await issue({ expiresAt: '2999-01-01' })
    const own = () => store.accounts.rotateOwnKey(hashApiKey(apiKey))
    assert.equal(await store.accounts.rotateOwnKey(hashApiKey('unknown')), null)
    await store.accounts.setActive(account.id, false, BY)
    assert.equal(await own(), null)
    await store.accounts.setActive(account.id, true, BY)
    await store.accounts.setLocked(account.id, true, BY)
    assert.equal(await own(), null)
    await store.accounts.setLocked(account.id, false, BY)
    t.mock.timers.enable({ apis: ['Date'], now: Date.parse('2999-01-01') })
    assert.equal(await own(), null)
    assert.equal(await opens(apiKey), false)
    t.mock.timers.setTime(Date.parse('2999-01-01') - 1)
    assert.equal(await opens(apiKey), true)
    assert.ok((await own()) !== null)
    assert.equal(await own(), null)
  })

  it('succeeds for exactly one of many simultaneous calls with one key', async () => {
    const other = await openControlStore(folder)
    const { apiKey } = await issue()
    const calls = Array.from({ length: 50 }, (_, i) =>
      (i % 2 === 0 ? store : other).accounts.rotateOwnKey(hashApiKey(apiKey)),
    )
    const winners = (await Promise.all(calls)).filter((rotated) => rotated !== null)
    assert.equal(winners.length, 1)
    assert.ok((await opens(winners[0]?.apiKey ?? '')) && !(await opens(apiKey)))
    await other.close()
  })
})

describe('issuePsk', () => {
  it('returns a lower-case UUID of version 4 that is accepted at once, and leaves the API key as it is', async () => {
    const { account, apiKey } = await issue()
    const { account: changed, psk } = await store.accounts.issuePsk(account.id, BY)
    assert.match(psk, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    assert.deepEqual({ ...changed, pskIssuedAt: null }, account)
    assert.match(changed.pskIssuedAt ?? '', /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)
    assert.deepEqual(await store.accounts.find(account.id), changed)
    assert.deepEqual([await pskOpens(psk), await opens(apiKey)], [true, true])
  })

  it('replaces the psk that the account had', async (t) => {
    const { account } = await issue()
    t.mock.timers.enable({ apis: ['Date'], now: Date.parse('2030-01-01') })
    const first = await store.accounts.issuePsk(account.id, BY)
    t.mock.timers.tick(1)
    const second = await store.accounts.issuePsk(account.id, BY)
    assert.notEqual(second.psk, first.psk)
    assert.equal(second.account.pskIssuedAt, '2030-01-01T00:00:00.001Z')
    assert.deepEqual([await pskOpens(first.psk), await pskOpens(second.psk)], [false, true])
  })

  it('returns a different psk for each account', async () => {
    const accounts = [await issue(), await issue()].map(({ account }) => account)
    for (const { id } of accounts) {
      const { psk } = await store.accounts.issuePsk(id, BY)
      assert.equal((await store.accounts.lookupPsk(hashPsk(psk)))?.accountId, id)
    }
  })

  it('returns a psk that outlives a rotation of the API key', async () => {
    const { account, apiKey } = await issue()
    const { psk } = await store.accounts.issuePsk(account.id, BY)
    const rotated = await store.accounts.rotateOwnKey(hashApiKey(apiKey))
    await store.accounts.rotate(account.id, BY)
    assert.deepEqual([rotated !== null, await pskOpens(psk)], [true, true])
  })

  it('leaves a locked account locked', async () => {
    const { account } = await issue()
    await store.accounts.setLocked(account.id, true, BY)
    const { psk } = await store.accounts.issuePsk(account.id, BY)
    assert.equal(await pskOpens(psk), false)
    await store.accounts.setLocked(account.id, false, BY)
    assert.equal(await pskOpens(psk), true)
  })

  itOnFiles('stores no psk in any letter case, only its hash', async () => {
    const apart = mkdtempSync(join(tmpdir(), 'tripfolio-psk-'))
    const { accounts, close } = await openControlStore(apart)
    const { account } = await accounts.create({ name: 'Account', clientNumber: 'C1' }, BY)
    const first = await accounts.issuePsk(account.id, BY)
    const second = await accounts.issuePsk(account.id, BY)
    const whileOpen = bytesOf(apart, 'control.db', 'control.db-wal')
    await close()
    const closed = bytesOf(apart, 'control.db')
    for (const stored of [whileOpen, closed]) assert.ok(stored.includes(hashPsk(second.psk)))
    for (const { psk } of [first, second]) {
      const bytes = Buffer.from(psk.replaceAll('-', ''), 'hex')
      const forms = [psk, psk.toUpperCase(), bytes.toString('hex'), bytes.toString('latin1')]
      for (const form of forms) assert.ok(!whileOpen.includes(form) && !closed.includes(form))
    }
    rmSync(apart, { recursive: true })
  })

  it('leaves one accepted psk when many are issued at once', async () => {
    const other = await openControlStore(folder)
    const { account } = await issue()
    const issued = await Promise.all(
      Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? store : other).accounts.issuePsk(account.id, BY)),
    )
    const opened = await Promise.all(issued.map(({ psk }) => pskOpens(psk)))
    assert.equal(opened.filter(Boolean).length, 1)
    const actions = (await store.accounts.history(account.id)).map(({ action }) => action)
    assert.equal(actions.filter((action) => action === 'account.psk-issue').length, 1)
    assert.equal(actions.filter((action) => action === 'account.psk-rotate').length, 19)
    await other.close()
  })

  it('refuses an account that does not exist, also when given its name, and leaves the store usable', async () => {
    const { account } = await issue({ name: 'By name' })
    for (const id of [crypto.randomUUID(), 'By name']) {
      await assert.rejects(store.accounts.issuePsk(id, BY), rejectsWith('DIR201'))
    }
    assert.equal((await store.accounts.find(account.id)).pskIssuedAt, null)
  })
})

describe('removePsk', () => {
  it('makes the psk refused and leaves the API key accepted', async () => {
    const { account, apiKey } = await issue()
    const { psk } = await store.accounts.issuePsk(account.id, BY)
    assert.deepEqual(await store.accounts.removePsk(account.id, BY), account)
    assert.deepEqual([await pskOpens(psk), await opens(apiKey)], [false, true])
  })

  it('returns the account and leaves no audit entry without a psk', async () => {
    const { account } = await issue()
    assert.deepEqual(await store.accounts.removePsk(account.id, BY), account)
    assert.equal((await store.accounts.history(account.id)).length, 1)
  })

  it('lets a different psk be issued afterwards', async () => {
    const { account } = await issue()
    const removed = await store.accounts.issuePsk(account.id, BY)
    await store.accounts.removePsk(account.id, BY)
    const next = await store.accounts.issuePsk(account.id, BY)
    assert.deepEqual([await pskOpens(removed.psk), await pskOpens(next.psk)], [false, true])
  })

  it('refuses an account that does not exist', async () => {
    await assert.rejects(store.accounts.removePsk(crypto.randomUUID(), BY), rejectsWith('DIR201'))
  })
})

describe('a change of a psk whose audit entry cannot be written', () => {
  it('is not made', async () => {
    const { account } = await issue()
    const { psk } = await store.accounts.issuePsk(account.id, BY)
    await withoutTrail(folder, async () => {
      await assert.rejects(store.accounts.issuePsk(account.id, BY), /audit/)
      await assert.rejects(store.accounts.removePsk(account.id, BY), /audit/)
    })
    assert.equal(await pskOpens(psk), true)
    assert.equal((await store.accounts.history(account.id)).length, 2)
  })
})

describe('history', () => {
  it('shows who did what to an account, without a key or a hash', async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: 1_000_000 })
    const { account, apiKey } = await issue({ name: 'Audited' })
    t.mock.timers.tick(1)
    await store.accounts.setLocked(account.id, true, 'operator:kim')
    t.mock.timers.tick(1)
    await store.accounts.setLocked(account.id, false, 'operator:kim')
    t.mock.timers.tick(1)
    const rotated = await store.accounts.rotateOwnKey(hashApiKey(apiKey))
    const history = await store.accounts.history(account.id)
    assert.deepEqual(
      history.map(({ actor, action, before, after }) => [actor, action, before, after]),
      [
        [BY, 'account.create', null, { name: 'Audited', clientNumber: 'C1', expiresAt: null, notes: null }],
        ['operator:kim', 'account.lock', { locked: false }, { locked: true }],
        ['operator:kim', 'account.unlock', { locked: true }, { locked: false }],
        [`account:${account.id}`, 'account.rotate', null, null],
      ],
    )
    const written = JSON.stringify(history)
    for (const key of [apiKey, rotated?.apiKey ?? '']) {
      assert.ok(!written.includes(key) && !written.includes(hashApiKey(key)))
    }
  })

  it('shows when and by whom a psk was issued, replaced and removed, without the psk or its hash', async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: 2_000_000 })
    const { account } = await issue()
    const psks: string[] = []
    for (const by of ['operator:kim', 'operator:lou']) {
      t.mock.timers.tick(1)
      psks.push((await store.accounts.issuePsk(account.id, by)).psk)
    }
    t.mock.timers.tick(1)
    await store.accounts.removePsk(account.id, 'operator:max')
    t.mock.timers.tick(1)
    psks.push((await store.accounts.issuePsk(account.id, 'operator:kim')).psk)
    const history = await store.accounts.history(account.id)
    assert.deepEqual(
      history
        .slice(1)
        .map(({ at, actor, action, before, after }) => [Date.parse(at), actor, action, before, after]),
      [
        [2_000_001, 'operator:kim', 'account.psk-issue', null, null],
        [2_000_002, 'operator:lou', 'account.psk-rotate', null, null],
        [2_000_003, 'operator:max', 'account.psk-disable', null, null],
        [2_000_004, 'operator:kim', 'account.psk-issue', null, null],
      ],
    )
    const written = JSON.stringify(history)
    for (const psk of psks) assert.ok(!written.includes(psk) && !written.includes(hashPsk(psk)))
  })
})

const bytesOf = (store: string, ...files: readonly string[]): string =>
  files.map((file) => readFileSync(join(store, file), 'latin1')).join()

describe('remove', () => {
  it('refuses key and psk from the next lookup, frees the name, and keeps the trail', async () => {
    const other = await openControlStore(folder)
    const { account, apiKey } = await issue({ name: 'Leaver' })
    const { psk } = await store.accounts.issuePsk(account.id, BY)
    assert.deepEqual([await opens(apiKey, other), await pskOpens(psk)], [true, true])
    const removed = await store.accounts.remove(account.id, BY)
    assert.equal(removed.id, account.id)
    assert.deepEqual([await opens(apiKey, other), await pskOpens(psk)], [false, false])
    await assert.rejects(store.accounts.find('Leaver'), rejectsWith('DIR201'))
    const trail = await store.accounts.history(account.id)
    const last = trail.at(-1)
    assert.deepEqual([last?.action, last?.actor, last?.after], ['account.delete', BY, null])
    const { id: _, ...members } = removed
    assert.deepEqual(last?.before, members)
    assert.ok(!JSON.stringify(trail).includes(hashApiKey(apiKey)))
    await other.close()
  })

  it('removes accounts that are disabled, locked or both', async () => {
    const { account } = await issue()
    await store.accounts.setActive(account.id, false, BY)
    await store.accounts.setLocked(account.id, true, BY)
    const { active, locked } = await store.accounts.remove(account.id, BY)
    assert.deepEqual([active, locked], [false, true])
  })

  it('refuses an id that is unknown or was removed', async () => {
    const { account } = await issue()
    await store.accounts.remove(account.id, BY)
    await assert.rejects(store.accounts.remove(account.id, BY), rejectsWith('DIR201'))
  })
})
