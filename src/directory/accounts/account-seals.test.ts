import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { repeated } from '../../../test/campaign.ts'
import { refusedWith } from '../testing/people-store.ts'
import { askControlStore, isOnFiles, openControlStore } from '../testing/stores.ts'
import type { Accounts } from './accounts.ts'
import { hashApiKey } from './api-key.ts'
import { hashPsk } from './psk.ts'

const BY = 'operator:test'
const [MINE, OTHER] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
const made: string[] = []
after(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true })
})

type Opened = Awaited<ReturnType<typeof openControlStore>>

/** A store with an account of each of two clients, both with a psk. */
async function twoClients(key?: Buffer) {
  const folder = mkdtempSync(join(tmpdir(), 'tripfolio-seals-'))
  made.push(folder)
  const refused: (readonly [string, string])[] = []
  const open = (secret: Buffer | undefined = key) =>
    openControlStore(folder, {
      secretKey: secret && (() => secret),
      onRefusedAccount: (id, fault) => refused.push([id, fault]),
    })
  const store = await open()
  if (key !== undefined) await store.accounts.adoptKey()
  const issue = async (clientNumber: string) => {
    const { account, apiKey } = await store.accounts.create({ name: clientNumber, clientNumber }, BY)
    const { psk } = await store.accounts.issuePsk(account.id, BY)
    return { id: account.id, keyHash: hashApiKey(apiKey), pskHash: hashPsk(psk) }
  }
  const [one, other] = [await issue('C00001'), await issue('C00003')]
  return { folder, store, open, one, other, refused, ask: asker(folder) }
}

const asker =
  (folder: string) =>
  (sql: string, ...values: readonly (string | number | null)[]) =>
    askControlStore(folder, sql, values)

type Issued = Awaited<ReturnType<typeof twoClients>>['one']

const openedBy = async ({ accounts }: Opened, { keyHash, pskHash }: Issued) => [
  await accounts.lookup(keyHash),
  await accounts.lookupPsk(pskHash),
]

const faultsIn = async ({ accounts }: Opened) =>
  Object.fromEntries((await accounts.verify()).refused.map(({ account, fault }) => [account.id, fault]))

const COLUMNS = ['id', 'client_number', 'key_hash', 'psk_hash', 'active', 'locked', 'expires_at'] as const

/** The value with each of its bits flipped (some of those of a hash); NUL and halves of surrogate pairs cannot be written by SQL on both databases. */
function* flipped(value: unknown): Generator<string | number | null> {
  if (typeof value === 'number') {
    for (let bit = 0; bit < 31; bit++) yield value ^ (1 << bit)
    return
  }
  const bytes = Buffer.from(String(value ?? ''))
  const step = bytes.length > 10 ? repeated(37, 1) : 1
  for (let bit = 0; bit < bytes.length * 8; bit += step) {
    const changed = Buffer.from(bytes)
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    const text = changed.toString()
    if (!text.includes('\0') && !text.includes('\ufffd')) yield text
  }
  yield value === null ? '2000-01-01T00:00:00.000Z' : null
}

const seals: readonly (readonly [title: string, key: Buffer | undefined])[] = [
  ['a plain seal', undefined],
  ['a keyed seal', MINE],
]
for (const [title, key] of seals) {
  describe(`an account with ${title}`, () => {
    for (const column of [...COLUMNS, 'seal'] as const) {
      it(`is refused whichever bit of its ${column} is flipped, and opens nothing else`, async () => {
        const { store, one, other, ask, refused } = await twoClients(key)
        const before = [await openedBy(store, one), await openedBy(store, other)]
        const [row] = await ask(`select ${column} as value, seal from accounts where id = ?`, one.id)
        const isFlag = column === 'active' || column === 'locked'
        const value = isFlag ? Number(row?.value) : (row?.value as string | null)
        let tried = 0
        for (const changed of flipped(value)) {
          if (changed === null && column !== 'expires_at' && column !== 'psk_hash' && column !== 'seal')
            continue
          const where = 'where seal = ?'
          if (column === 'seal') await ask('update accounts set seal = ? where id = ?', changed, one.id)
          else await ask(`update accounts set ${column} = ? ${where}`, changed, String(row?.seal))
          const found = [await openedBy(store, one), await openedBy(store, other)]
          assert.deepEqual(found, [[undefined, undefined], before[1]], `${column}: ${changed}`)
          if (column === 'seal') await ask('update accounts set seal = ? where id = ?', value, one.id)
          else await ask(`update accounts set ${column} = ? ${where}`, value, String(row?.seal))
          tried++
        }
        assert.ok(tried > 0 && refused.length > 0)
        assert.deepEqual([await openedBy(store, one), await openedBy(store, other)], before)
        await store.close()
      })
    }

    it('is refused with the columns, or with the seal, of another account', async () => {
      const { store, one, other, ask } = await twoClients(key)
      const [mine, theirs] = await ask('select * from accounts order by client_number')
      for (const column of ['client_number', 'seal'] as const) {
        const set = `update accounts set ${column} = ? where id = ?`
        await ask(set, String(theirs?.[column]), one.id)
        assert.deepEqual(await openedBy(store, one), [undefined, undefined])
        assert.deepEqual(await faultsIn(store), { [one.id]: 'altered' })
        await ask(set, String(mine?.[column]), one.id)
      }
      // The whole row of another client under the key of this one.
      await ask('delete from accounts where id = ?', one.id)
      const columns = Object.keys(theirs ?? {})
      const copy = { ...theirs, id: one.id, key_hash: one.keyHash, psk_hash: one.pskHash }
      const values = columns.map((name) => copy[name as keyof typeof copy] as string)
      await ask(`insert into accounts (${columns}) values (${columns.map(() => '?')})`, ...values)
      assert.deepEqual(await openedBy(store, one), [undefined, undefined])
      assert.equal((await openedBy(store, other))[0]?.clientNumber, 'C00003')
      await store.close()
    })

    it('keeps a seal that holds through every operation', async () => {
      const { store, one } = await twoClients(key)
      const { accounts } = store
      const { id } = one
      // An operation that is added to the accounts has to be added here.
      const operations: Readonly<Record<keyof Accounts, () => unknown>> = {
        create: () =>
          accounts.create({ name: 'x'.repeat(100), clientNumber: '\ufeffA1', expiresAt: '2999-01-01' }, BY),
        change: () => accounts.change(id, { name: 'Other', expiresAt: '2998-01-01', notes: 'n' }, BY),
        rotate: () => accounts.rotate(id, BY),
        setActive: () => accounts.setActive(id, false, BY).then(() => accounts.setActive(id, true, BY)),
        setLocked: () => accounts.setLocked(id, true, BY).then(() => accounts.setLocked(id, false, BY)),
        issuePsk: () => accounts.issuePsk(id, BY),
        removePsk: () => accounts.removePsk(id, BY),
        rotateOwnKey: async () => {
          const { apiKey } = await accounts.rotate(id, BY)
          assert.equal((await accounts.rotateOwnKey(hashApiKey(apiKey)))?.id, id)
        },
        seal: () => accounts.seal(id, BY),
        sealAll: () => accounts.sealAll(BY),
        adoptKey: () => accounts.adoptKey(),
        remove: () =>
          accounts
            .create({ name: 'Gone', clientNumber: 'C1' }, BY)
            .then(({ account }) => accounts.remove(account.id, BY)),
        list: () => accounts.list(),
        find: () => accounts.find(id),
        byId: () => accounts.byId(id),
        verify: () => accounts.verify(),
        history: () => accounts.history(id),
        usage: () => accounts.usage(id, {}),
        usageTotals: () => accounts.usageTotals({}),
      }
      for (const [name, run] of Object.entries(operations)) {
        await run()
        assert.deepEqual(await faultsIn(store), {}, name)
      }
      assert.equal((await accounts.verify()).key, key === undefined ? 'none' : 'own')
      await store.close()
    })

    it('is not sealed by a change of something else once it was altered', async () => {
      const { store, one, ask } = await twoClients(key)
      await ask('update accounts set locked = 1 where id = ?', one.id)
      const { accounts } = store
      const changes = [
        () => accounts.change(one.id, { name: 'Other' }, BY),
        () => accounts.rotate(one.id, BY),
        () => accounts.setActive(one.id, false, BY),
        () => accounts.setLocked(one.id, false, BY),
        () => accounts.issuePsk(one.id, BY),
        () => accounts.removePsk(one.id, BY),
        () => accounts.rotateOwnKey(one.keyHash),
      ]
      for (const change of changes) await assert.rejects(change, refusedWith('DIR205'))
      assert.deepEqual(await faultsIn(store), { [one.id]: 'altered' })
      await accounts.remove(one.id, BY)
      assert.deepEqual(await faultsIn(store), {})
      await store.close()
    })

    it('is accepted as it stands by an operator, which leaves an entry in the trail', async () => {
      const { store, one, ask } = await twoClients(key)
      await ask('update accounts set expires_at = ? where id = ?', '2999-01-01T00:00:00.000Z', one.id)
      await store.accounts.seal(one.id, BY)
      await store.accounts.seal(one.id, BY)
      assert.equal((await openedBy(store, one))[0]?.expiresAt, '2999-01-01T00:00:00.000Z')
      const entries = (await store.accounts.history(one.id)).filter(({ action }) => action === 'account.seal')
      assert.deepEqual(
        entries.map(({ actor, after }) => [actor, after]),
        [
          [
            BY,
            { clientNumber: 'C00001', active: true, locked: false, expiresAt: '2999-01-01T00:00:00.000Z' },
          ],
        ],
      )
      await store.close()
    })

    it('is not accepted with another client than the trail knows, alone or with all others', async () => {
      const { store, one, other, ask } = await twoClients(key)
      await ask("update accounts set client_number = 'C00003' where id = ?", one.id)
      await ask('update accounts set locked = 1 where id = ?', other.id)
      const [found] = (await store.accounts.verify()).refused.filter(({ account }) => account.id === one.id)
      assert.deepEqual([found?.account.clientNumber, found?.madeForClient], ['C00003', 'C00001'])
      await assert.rejects(store.accounts.seal(one.id, BY), refusedWith('DIR207'))
      await assert.rejects(store.accounts.sealAll(BY), refusedWith('DIR207'))
      assert.equal(Object.keys(await faultsIn(store)).length, 2)
      await store.close()
    })
  })
}

describe('the key of the seals', () => {
  it('is that of the first service that has one; plain seals hold no longer then', async () => {
    const { store, open, one, other, ask } = await twoClients()
    const [plain] = await ask('select seal from accounts where id = ?', one.id)
    await ask('update accounts set locked = 1 where id = ?', other.id)
    const service = await open(MINE)
    assert.equal((await openedBy(service, one))[0]?.clientNumber, 'C00001', 'before it was adopted')
    await service.accounts.adoptKey()
    assert.equal((await openedBy(service, one))[0]?.clientNumber, 'C00001')
    assert.deepEqual(await openedBy(service, other), [undefined, undefined], 'altered before')
    assert.deepEqual(await faultsIn(service), { [other.id]: 'altered' })
    await service.accounts.create({ name: 'Third', clientNumber: 'C00005' }, BY)
    await ask('update accounts set seal = ? where id = ?', String(plain?.seal), one.id)
    assert.deepEqual(await openedBy(service, one), [undefined, undefined])
    // Nor when the mark is lost before the service starts again.
    await ask("delete from key_checks where purpose = 'accounts'")
    const again = await open(MINE)
    await again.accounts.adoptKey()
    assert.deepEqual(await openedBy(again, one), [undefined, undefined])
    assert.deepEqual(await faultsIn(again), { [one.id]: 'altered', [other.id]: 'altered' })
    for (const each of [again, service, store]) await each.close()
  })

  it('stays: another key, or none, opens nothing, changes nothing and is not adopted', async () => {
    const { store, open, one, refused } = await twoClients(MINE)
    for (const secret of [OTHER, undefined]) {
      const elsewhere = await open(secret ?? Buffer.alloc(32, 3))
      assert.deepEqual(await openedBy(elsewhere, one), [undefined, undefined])
      assert.deepEqual(refused.splice(0), [
        [one.id, 'other-key'],
        [one.id, 'other-key'],
      ])
      const { accounts } = elsewhere
      for (const change of [
        () => accounts.adoptKey(),
        () => accounts.create({ name: 'n', clientNumber: 'C1' }, BY),
        () => accounts.rotate(one.id, BY),
        () => accounts.seal(one.id, BY),
      ])
        await assert.rejects(change, refusedWith('DIR206'))
      const { key, refused: found } = await accounts.verify()
      assert.deepEqual([key, found.map(({ fault }) => fault)], ['other', ['other-key', 'other-key']])
      await elsewhere.close()
    }
    assert.equal((await openedBy(store, one))[0]?.clientNumber, 'C00001')
    await store.close()
  })

  it('is unknown to a process that has none', async () => {
    const { folder, store, one } = await twoClients(MINE)
    const keyless = await openControlStore(folder)
    assert.deepEqual(await openedBy(keyless, one), [undefined, undefined])
    await assert.rejects(keyless.accounts.rotate(one.id, BY), refusedWith('DIR206'))
    await assert.rejects(keyless.accounts.sealAll(BY), refusedWith('DIR206'))
    await keyless.close()
    await store.close()
  })

  it('is replaced only by sealing all accounts, or while there is none', async () => {
    const { store, open, one, other } = await twoClients(MINE)
    const next = await open(OTHER)
    assert.equal(await next.accounts.sealAll(BY), 2)
    assert.equal((await openedBy(next, one))[0]?.clientNumber, 'C00001')
    assert.deepEqual(await openedBy(store, one), [undefined, undefined])
    for (const { id } of [one, other]) await next.accounts.remove(id, BY)
    await store.accounts.adoptKey()
    await store.accounts.create({ name: 'n', clientNumber: 'C1' }, BY)
    assert.deepEqual(await faultsIn(store), {})
    await next.close()
    await store.close()
  })
})

describe('rows that a program without seals has written', () => {
  it('are sealed by the upgrade as they are', async () => {
    const { folder, store, one, ask } = await twoClients()
    await store.close()
    if (!isOnFiles()) await ask('drop trigger raise_account_revision on accounts')
    await ask('alter table accounts drop column seal')
    await ask('drop table holds')
    await ask("delete from kysely_migration where name in ('0017-account-seals', '0018-holds')")
    if (!isOnFiles())
      await ask(
        `create trigger raise_account_revision after insert or delete or truncate or update of active
         on accounts for each statement execute function raise_account_revision()`,
      )
    const upgraded = await openControlStore(folder, { upgrade: { onUpgraded: () => undefined } })
    assert.deepEqual(await faultsIn(upgraded), {})
    assert.equal((await openedBy(upgraded, one))[0]?.clientNumber, 'C00001')
    await upgraded.close()
  })

  it('are refused after it, until they are sealed: a node of the old version still ran', async () => {
    const { store, one, other, ask } = await twoClients(MINE)
    // As it creates an account, and as it unlocks or rotates one.
    await ask('update accounts set seal = null where id = ?', one.id)
    await ask('update accounts set key_hash = ? where id = ?', hashApiKey('rotated'), other.id)
    assert.deepEqual(await openedBy(store, one), [undefined, undefined])
    assert.equal(await store.accounts.lookup(hashApiKey('rotated')), undefined)
    assert.deepEqual(await faultsIn(store), { [one.id]: 'missing', [other.id]: 'altered' })
    assert.equal(await store.accounts.sealAll(BY), 2)
    assert.equal((await openedBy(store, one))[0]?.clientNumber, 'C00001')
    assert.equal((await store.accounts.lookup(hashApiKey('rotated')))?.clientNumber, 'C00003')
    await store.close()
  })
})
