import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { Problem } from '../kernel/problem.ts'
import { type AccountDraft, isUsable } from './account.ts'
import { hashApiKey } from './api-key.ts'
import { type ControlStore, controlStorePath, openControlStore } from './control-store.ts'

const BY = 'operator:test'
let folder: string
let store: ControlStore
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tripfolio-accounts-'))
  store = await openControlStore(controlStorePath(folder))
})
after(async () => {
  await store.close()
  rmSync(folder, { recursive: true })
})

let names = 0
const issue = (draft: Partial<AccountDraft> = {}) =>
  store.accounts.create({ name: `Account ${++names}`, clientNumber: 'C1', ...draft }, BY)

const opens = (key: string, through = store): boolean => {
  const holder = through.accounts.lookup(hashApiKey(key))
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
  it('answers the account and a key of 64 base64 characters that opens at once', async () => {
    const { account, apiKey } = await issue({ name: ' Nightly export ', expires: '2999-12-31' })
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
      },
    )
    assert.ok(opens(apiKey))
  })

  it('stores no key, only its hash', async () => {
    const { apiKey } = await issue()
    const rotated = await store.accounts.rotateOwnKey(hashApiKey(apiKey))
    const files = ['control.db', 'control.db-wal'].map((name) => readFileSync(join(folder, name), 'latin1'))
    const stored = files.join()
    assert.ok(stored.includes(hashApiKey(rotated?.apiKey ?? '')))
    for (const key of [apiKey, rotated?.apiKey ?? '']) assert.ok(!stored.includes(key))
  })

  const refused: readonly [what: string, draft: Partial<AccountDraft>, code: string][] = [
    ['an empty name', { name: '  ' }, 'DIR203'],
    ['a name of 101 characters', { name: 'é'.repeat(101) }, 'DIR203'],
    ['a name with a line break', { name: 'a\nb' }, 'DIR203'],
    ['an empty client number', { clientNumber: '' }, 'DIR203'],
    ['a client number of 21 characters', { clientNumber: 'C'.repeat(21) }, 'DIR203'],
    ['an expiry that is no date', { expires: 'tomorrow' }, 'DIR204'],
    ['an expiry that is no date of the calendar', { expires: '2999-02-30' }, 'DIR204'],
    ['an expiry that is past', { expires: '2020-01-01T00:00Z' }, 'DIR204'],
  ]
  for (const [what, draft, code] of refused) {
    it(`refuses ${what}`, async () => {
      const count = (await store.accounts.list()).length
      await assert.rejects(issue(draft), rejectsWith(code))
      assert.equal((await store.accounts.list()).length, count)
    })
  }

  it('reads an expiry with a zone as that moment', async () => {
    const { account } = await issue({ expires: '2999-06-30T17:00+10:00' })
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
})

describe('find', () => {
  it('finds by id in any letter case, by the beginning of it, and by exact name', async () => {
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

  it('refuses what matches nothing and names the nearest account name if there is one', async () => {
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
  it('gives a new key that opens in place of the old one', async () => {
    const { account, apiKey } = await issue()
    const rotated = await store.accounts.rotate(account.id, BY)
    assert.deepEqual({ ...rotated.account, rotatedAt: null }, account)
    assert.match(rotated.account.rotatedAt ?? '', /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)
    assert.deepEqual([opens(apiKey), opens(rotated.apiKey)], [false, true])
  })

  it('leaves a locked account locked', async () => {
    const { account } = await issue()
    await store.accounts.setLocked(account.id, true, BY)
    const { apiKey } = await store.accounts.rotate(account.id, BY)
    assert.equal(opens(apiKey), false)
    await store.accounts.setLocked(account.id, false, BY)
    assert.equal(opens(apiKey), true)
  })

  it('refuses an account that does not exist and leaves the store usable', async () => {
    await assert.rejects(store.accounts.rotate(crypto.randomUUID(), BY), rejectsWith('DIR201'))
    await issue()
  })
})

describe('setActive and setLocked', () => {
  it('close an account for as long as either says so', async () => {
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
      assert.equal(opens(apiKey), expected)
    }
  })

  it('answer the account and leave no second audit entry when nothing changes', async () => {
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
  it('replaces the key of its holder and answers the four members of the specification', async () => {
    const { account, apiKey } = await issue()
    const rotated = await store.accounts.rotateOwnKey(hashApiKey(apiKey))
    assert.ok(rotated !== null)
    assert.deepEqual(Object.keys(rotated).sort(), ['apiKey', 'id', 'name', 'rotatedAt'])
    assert.deepEqual([rotated.id, rotated.name], [account.id, account.name])
    assert.equal(new Date(rotated.rotatedAt).toISOString(), rotated.rotatedAt)
    assert.deepEqual([opens(apiKey), opens(rotated.apiKey)], [false, true])
  })

  it('answers null for a key that is unknown, replaced, disabled, locked or expired, and changes nothing', async (t) => {
    const { account, apiKey } = await issue({ expires: '2999-01-01' })
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
    assert.equal(opens(apiKey), false)
    t.mock.timers.setTime(Date.parse('2999-01-01') - 1)
    assert.equal(opens(apiKey), true)
    assert.ok((await own()) !== null)
    assert.equal(await own(), null)
  })

  it('succeeds for exactly one of many calls that are made at once with one key', async () => {
    const other = await openControlStore(controlStorePath(folder))
    const { apiKey } = await issue()
    const calls = Array.from({ length: 50 }, (_, i) =>
      (i % 2 === 0 ? store : other).accounts.rotateOwnKey(hashApiKey(apiKey)),
    )
    const winners = (await Promise.all(calls)).filter((rotated) => rotated !== null)
    assert.equal(winners.length, 1)
    assert.ok(opens(winners[0]?.apiKey ?? '') && !opens(apiKey))
    await other.close()
  })
})

describe('history', () => {
  it('tells who did what to an account, without a key or a hash', async (t) => {
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
        [BY, 'account.create', null, { name: 'Audited', clientNumber: 'C1', expiresAt: null }],
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
})
