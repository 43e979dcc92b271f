import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { inspect } from 'node:util'
import fc from 'fast-check'
import { anyCharacter } from '../../../test/fixtures/any-character.ts'
import type { SecretDraft } from '../../schema/directory-shapes.ts'
import type { ControlStore } from '../control-store.ts'
import { BY, changesOf, makeStores, refusedWith } from '../testing/people-store.ts'
import { askControlStore, itOnFiles, openControlStore } from '../testing/stores.ts'
import { secretKey } from './secret-key.ts'

const stores = makeStores()
let store: ControlStore
before(async () => {
  store = await stores.open()
})
after(() => stores.remove())

const set = (name: string, draft: SecretDraft) => store.secrets.set(name, draft, BY)
const read = (name: string) => store.secrets.read(name)
const IN_2999 = '2999-01-01T00:00:00.000Z'

/** Acts like an attacker who has the file, but not the key. */
async function change(sql: string, ...values: (string | Uint8Array)[]): Promise<void> {
  assert.equal((await askControlStore(stores.folder, `${sql} returning 1`, values)).length, 1)
}

async function sealedBytes(nameKey: string): Promise<Uint8Array> {
  const sql = 'select sealed from secrets where name_key = ?'
  return (await askControlStore(stores.folder, sql, [nameKey]))[0]?.sealed as Uint8Array
}

describe('a secret', () => {
  it('is read by its name in any case, and listed without its value', async () => {
    const made = await set('Payment Key', { value: 'open sesame', description: ' For payments ' })
    const { createdAt, updatedAt, ...rest } = made
    assert.deepEqual(rest, {
      name: 'Payment Key',
      description: 'For payments',
      isActive: true,
      expiresAt: null,
    })
    assert.equal(createdAt, updatedAt)
    for (const name of ['Payment Key', 'payment key', 'PAYMENT KEY']) {
      assert.equal(await read(name), 'open sesame')
    }
    const listed = (await store.secrets.list()).filter(({ name }) => name === 'Payment Key')
    assert.deepEqual(listed, [made])
  })

  it('is read exactly as it was given, whatever its content', async () => {
    const value = fc.string({ unit: anyCharacter, minLength: 1, maxLength: 200 })
    await fc.assert(
      fc.asyncProperty(value, async (text) => {
        await set('Any', { value: text })
        assert.equal(await read('any'), text)
      }),
      { numRuns: 50 },
    )
    const longest = '😀'.repeat(65_536)
    await set('Any', { value: longest })
    assert.equal(await read('any'), longest)
  })

  it('keeps members that a change leaves out, and the spelling of its name', async () => {
    await set('Kept', { value: 'v', description: 'd', expiresAt: '2999-01-01T01:00:00+01:00' })
    const changed = await set('kEPT', { isActive: false })
    assert.deepEqual(
      [changed.name, changed.description, changed.isActive, changed.expiresAt],
      ['Kept', 'd', false, IN_2999],
    )
    const again = await set('kept', { isActive: true, expiresAt: null, description: null })
    assert.deepEqual([again.description, again.isActive, again.expiresAt], [null, true, null])
    assert.equal(await read('Kept'), 'v')
    await set('kept', { value: 'w' })
    assert.equal(await read('Kept'), 'w')
  })

  it('reads as null while it is inactive, after it has expired, and when it is unknown', async () => {
    await set('Off', { value: 'v', isActive: false })
    assert.equal(await read('Off'), null)
    await set('Late', { value: 'v', expiresAt: IN_2999 })
    assert.equal(await read('Late'), 'v')
    await change("update secrets set expires_at = '2020-01-01T00:00:00.000Z' where name_key = ?", 'late')
    assert.equal(await read('Late'), null)
    assert.equal(await read('Never set'), null)
  })

  it('is removed by its name in any case, once', async () => {
    await set('Gone', { value: 'v' })
    assert.equal(await store.secrets.remove('GONE', BY), true)
    assert.equal(await store.secrets.remove('GONE', BY), false)
    assert.equal(await read('Gone'), null)
  })

  it('is listed by name', async () => {
    for (const name of ['order B', 'Order c', 'Order a']) await set(name, { value: 'v' })
    const names = (await store.secrets.list()).map(({ name }) => name)
    assert.deepEqual(
      names.filter((name) => /^order /i.test(name)),
      ['Order a', 'order B', 'Order c'],
    )
  })
})

describe('a secret is refused', () => {
  const VALUE = 'canary-in-a-refusal'
  const wrong: readonly (readonly [string, string, SecretDraft, string])[] = [
    ['without a name', '', { value: VALUE }, 'DIR530'],
    ['with blanks around its name', ' a', { value: VALUE }, 'DIR530'],
    ['with a name of two lines', 'a\nb', { value: VALUE }, 'DIR530'],
    ['with a name of two Unicode lines', 'a\u2028b', { value: VALUE }, 'DIR530'],
    ['with a name that is too long', 'x'.repeat(101), { value: VALUE }, 'DIR530'],
    ['without a value when it is new', 'New', { description: 'd' }, 'DIR531'],
    ['with an expiry in the past', 'New', { value: VALUE, expiresAt: '2020-01-01T00:00:00Z' }, 'DIR532'],
    ['with a malformed expiry', 'New', { value: VALUE, expiresAt: 'soon' }, 'DIR533'],
    ['with an empty value', 'New', { value: '' }, 'DIR533'],
    ['with a value that is too long', 'New', { value: VALUE.repeat(4000) }, 'DIR533'],
    ['with half a surrogate pair', 'New', { value: `${VALUE}\ud800` }, 'DIR533'],
    ['with a value that is not text', 'New', { value: [VALUE] as unknown as string }, 'DIR533'],
    ['with unknown members', 'New', { value: VALUE, [VALUE]: 1 } as SecretDraft, 'DIR533'],
    ['with a long description', 'New', { value: VALUE, description: 'x'.repeat(501) }, 'DIR533'],
  ]
  for (const [what, name, draft, code] of wrong) {
    it(`${what} (${code}), and the refusal does not contain the value`, async () => {
      await assert.rejects(set(name, draft), (error) => {
        refusedWith(code)(error)
        assert.ok(!inspect(error, { depth: 10, showHidden: true }).includes(VALUE))
        return true
      })
      assert.equal(await read(name), null)
    })
  }
})

describe('a sealed secret', () => {
  it('does not open with another key, and the refusal says so', async () => {
    await set('Locked', { value: 'canary' })
    const other = await openControlStore(stores.folder, {
      secretKey: () => Buffer.alloc(32, 8),
    })
    await assert.rejects(other.secrets.read('Locked'), (error) => {
      refusedWith('DIR560', /'Locked'.*another key/)(error)
      assert.ok(!inspect(error, { depth: 10 }).includes('canary'))
      return true
    })
    await other.close()
  })

  it('does not open when any byte is changed or missing', async () => {
    await set('Tampered', { value: 'v' })
    const sealed = await sealedBytes('tampered')
    const store = (bytes: Uint8Array) =>
      change('update secrets set sealed = ? where name_key = ?', bytes, 'tampered')
    for (let at = 0; at < sealed.length; at++) {
      await store(sealed.with(at, (sealed[at] ?? 0) ^ 1))
      await assert.rejects(read('Tampered'), refusedWith('DIR560'))
    }
    for (const length of [0, 1, 27, 28, sealed.length - 1]) {
      await store(sealed.subarray(0, length))
      await assert.rejects(read('Tampered'), refusedWith('DIR560'))
    }
    await store(sealed)
    assert.equal(await read('Tampered'), 'v')
  })

  it('does not open under another name', async () => {
    await set('First', { value: 'v' })
    await set('Second', { value: 'w' })
    await change('update secrets set sealed = ? where name_key = ?', await sealedBytes('first'), 'second')
    await assert.rejects(read('Second'), refusedWith('DIR560'))
  })

  it('is sealed with a new nonce every time', async () => {
    const sealings = new Set<string>()
    const nonces = new Set<string>()
    for (let i = 0; i < 20; i++) {
      await set('Same', { value: 'v' })
      const sealed = Buffer.from(await sealedBytes('same'))
      sealings.add(sealed.toString('hex'))
      nonces.add(sealed.subarray(0, 12).toString('hex'))
    }
    assert.deepEqual([sealings.size, nonces.size], [20, 20])
  })

  it('is not set under another key than the first one, also when there is none left', async () => {
    const other = await openControlStore(stores.folder, { secretKey: () => Buffer.alloc(32, 9) })
    const anew = (name: string) => other.secrets.set(name, { value: 'canary' }, BY)
    await set('Only', { value: 'old' })
    for (const { name } of await store.secrets.list()) {
      if (name !== 'Only') await store.secrets.remove(name, BY)
    }
    for (const name of ['Only', 'Never set before']) {
      await assert.rejects(anew(name), (error) => {
        refusedWith('DIR462', /found another one/)(error)
        assert.ok(!inspect(error, { depth: 10 }).includes('canary'))
        return true
      })
    }
    assert.equal(await read('Only'), 'old')
    assert.equal(
      (await other.secrets.set('Only', { description: 'needs no key' }, BY)).description,
      'needs no key',
    )
    await store.secrets.remove('Only', BY)
    await assert.rejects(anew('Only'), refusedWith('DIR462'))
    await other.close()
  })

  it('belongs to the key of the service that started last without any secret', async () => {
    await set('Lost', { value: 'old' })
    const other = await openControlStore(stores.folder, { secretKey: () => Buffer.alloc(32, 9) })
    await assert.rejects(other.secrets.adoptKey(), refusedWith('DIR560', /'Lost'/))
    await store.secrets.remove('Lost', BY)
    await other.secrets.adoptKey()
    await other.secrets.set('Lost', { value: 'new' }, BY)
    await other.secrets.adoptKey()
    await assert.rejects(set('Lost', { value: 'v' }), refusedWith('DIR462'))
    await other.secrets.remove('Lost', BY)
    await other.close()
    await store.secrets.adoptKey()
  })

  it('tells the key of a store from before the check value', async () => {
    await set('Older', { value: 'old' })
    await set('Damaged', { value: 'old' })
    await change('update secrets set sealed = ? where name_key = ?', new Uint8Array(40), 'damaged')
    const other = await openControlStore(stores.folder, { secretKey: () => Buffer.alloc(32, 9) })
    await change('delete from key_checks')
    await assert.rejects(other.secrets.set('Older', { value: 'v' }, BY), refusedWith('DIR462'))
    await assert.rejects(other.secrets.adoptKey(), refusedWith('DIR560'))
    await store.secrets.adoptKey()
    await change('delete from key_checks')
    await set('Older', { value: 'new' })
    await assert.rejects(other.secrets.set('Older', { value: 'v' }, BY), refusedWith('DIR462'))
    await other.close()
    for (const { name } of await store.secrets.list()) await store.secrets.remove(name, BY)
  })
})

describe('the trail of a secret', () => {
  it('shows what changed without any value', async () => {
    await set('Trail', { value: 'canary one' })
    await set('Trail', { isActive: true })
    await set('trail', { value: 'canary two', isActive: false })
    await store.secrets.remove('Trail', BY)
    const members = { description: null, isActive: true, expiresAt: null }
    assert.deepEqual(await changesOf(store, 'Trail'), [
      { action: 'secret.create', before: null, after: members },
      {
        action: 'secret.update',
        before: { isActive: true },
        after: { isActive: false, valueChanged: true },
      },
      { action: 'secret.delete', before: { ...members, isActive: false }, after: null },
    ])
  })

  it('raises the revision of secrets with every change, and with nothing else', async () => {
    const revision = async () => {
      const sql = "select revision from revisions where subject = 'secrets'"
      return Number((await askControlStore(stores.folder, sql))[0]?.revision ?? 0)
    }
    await set('Counted', { value: 'v' })
    const first = await revision()
    await set('Counted', { isActive: true })
    await read('Counted')
    assert.equal(await revision(), first)
    await set('Counted', { value: 'w' })
    assert.equal(await revision(), first + 1)
    await store.secrets.remove('Counted', BY)
    assert.equal(await revision(), first + 2)
  })
})

describe('a store without a key', () => {
  it('lists and removes secrets, and refuses to seal and to open them', async () => {
    await set('Here', { value: 'v' })
    const without = await openControlStore(stores.folder)
    assert.ok((await without.secrets.list()).some(({ name }) => name === 'Here'))
    await assert.rejects(without.secrets.read('Here'), refusedWith('DIR561', /without a key/))
    await assert.rejects(without.secrets.set('Here', { value: 'w' }, BY), refusedWith('DIR561'))
    assert.equal(await without.secrets.remove('Here', BY), true)
    await without.close()
  })
})

describe('the files of the data folder', () => {
  itOnFiles('never hold the value of a secret, in any encoding', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tripfolio-canary-'))
    const open = () =>
      openControlStore(folder, {
        secretKey: () => secretKey({ data: folder, secretKey: undefined }),
      })
    const value = 'canary-7f3a91-do-not-write-this-down'
    const forms = (['utf8', 'hex', 'base64', 'utf16le'] as const).map((encoding) =>
      encoding === 'utf16le'
        ? Buffer.from(value, encoding)
        : Buffer.from(Buffer.from(value).toString(encoding)),
    )
    const search = () => {
      const files = readdirSync(folder)
      for (const file of files) {
        const content = readFileSync(join(folder, file))
        for (const form of forms) assert.ok(!content.includes(form), file)
      }
      return files
    }
    const first = await open()
    await first.secrets.set('Canary', { value }, BY)
    await first.secrets.set('Canary', { value, isActive: false }, BY)
    await first.secrets.set('Canary', { isActive: true }, BY)
    assert.equal(await first.secrets.read('Canary'), value)
    assert.ok(search().includes('control.db-wal'))
    await first.close()
    assert.deepEqual(search().sort(), ['control.db', 'secret.key'])
    const second = await open()
    assert.equal(await second.secrets.read('Canary'), value)
    await second.close()
    rmSync(folder, { recursive: true })
  })
})
