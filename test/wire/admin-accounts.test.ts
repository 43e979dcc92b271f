/** Service accounts over the admin API: a key or psk is shown once, in the response that creates it, and never again. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { isUsable } from '../../src/directory/accounts/account.ts'
import { hashApiKey } from '../../src/directory/accounts/api-key.ts'
import { hashPsk } from '../../src/directory/accounts/psk.ts'
import { askControlStore } from '../../src/directory/testing/stores.ts'
import type { Json } from '../fixtures/json.ts'
import { type Admin, startAdmin } from './start-admin.ts'

const BY = 'user:admin@example.com'
const NOBODY = '00000000-0000-4000-8000-000000000000'

let admin: Admin
before(async () => {
  admin = await startAdmin()
})
after(() => admin.close())

async function created(name: string, clientNumber = 'C1'): Promise<Json> {
  const { status, body } = await admin.send('POST', '/accounts', { body: { name, clientNumber } })
  assert.equal(status, 201)
  return body
}

const opens = async (apiKey: string): Promise<boolean> => {
  const holder = await admin.store.accounts.lookup(hashApiKey(apiKey))
  return holder !== undefined && isUsable(holder, new Date())
}

describe('POST /accounts', () => {
  it('returns the key once, and the key reads the client', async () => {
    await admin.newAudit()
    const { account, apiKey } = await created('Export', 'C7')
    assert.deepEqual(
      [account.name, account.clientNumber, account.active, account.locked, account.pskIssuedAt],
      ['Export', 'C7', true, false, null],
    )
    assert.equal((await admin.store.accounts.lookup(hashApiKey(apiKey)))?.clientNumber, 'C7')
    const shown = [
      await admin.send('GET', `/accounts/${account.id}`),
      await admin.send('GET', '/accounts?limit=500'),
      await admin.send('GET', '/audit?limit=500'),
    ]
    assert.ok(!JSON.stringify(shown).includes(apiKey))
    // No cache keeps what only an operator may see.
    for (const { headers } of shown) assert.equal(headers.get('cache-control'), 'no-store')
    assert.deepEqual(await admin.newAudit(), [
      {
        actor: BY,
        action: 'account.create',
        before: null,
        after: { name: 'Export', clientNumber: 'C7', expiresAt: null, notes: null },
      },
    ])
  })

  for (const [what, body, expected] of [
    ['nothing', {}, ['/name', '/clientNumber']],
    ['a number for a name', { name: 1, clientNumber: 'C1' }, ['/name']],
    ['an unknown member', { name: 'A', clientNumber: 'C1', admin: true }, ['/admin']],
  ] as const) {
    it(`refuses ${what}, and names each place`, async () => {
      const { status, body: answer } = await admin.send('POST', '/accounts', { body })
      assert.equal(status, 400)
      assert.deepEqual(
        answer.details.map(({ path }: Json) => path),
        expected,
      )
    })
  }

  for (const [what, body] of [
    ['an empty name', { name: ' ', clientNumber: 'C1' }],
    ['an end in the past', { name: 'A', clientNumber: 'C1', expiresAt: '2001-01-01' }],
  ] as const) {
    it(`refuses ${what}`, async () => {
      const { status, body: answer } = await admin.send('POST', '/accounts', { body })
      assert.equal(status, 400)
      assert.match(answer.error, /^Expected /)
    })
  }

  it('refuses a body that is not JSON', async () => {
    for (const body of ['{', '"text"', '[]']) {
      assert.equal((await admin.send('POST', '/accounts', { body })).status, 400)
    }
  })
})

describe('GET /accounts', () => {
  it('counts all pages together, and sorts by any of its columns in either direction', async () => {
    for (const name of ['beta', 'Alpha', 'gamma']) await created(name, 'C-sorted')
    const list = async (query: string) =>
      (await admin.send('GET', `/accounts?clientNumber=C-sorted&${query}`)).body
    const names = ({ items }: Json) => items.map(({ name }: Json) => name)
    assert.deepEqual(names(await list('sort=name')), ['Alpha', 'beta', 'gamma'])
    assert.deepEqual(names(await list('sort=-name')), ['gamma', 'beta', 'Alpha'])
    const first = await list('sort=-name&limit=1')
    assert.deepEqual([first.total, names(first)], [3, ['gamma']])
    const rest = await list(`sort=-name&after=${first.next}`)
    assert.deepEqual([rest.total, names(rest), rest.next], [3, ['beta', 'Alpha'], null])
    assert.equal((await list('text=ALPHA')).total, 1)
    const { status } = await admin.send('GET', `/accounts?sort=name&after=${first.next}`)
    assert.equal(status, 400)
  })

  it('returns pages by client and name, each account once', async () => {
    for (const name of ['Zoe', 'Ann', 'Bob']) await created(name, 'C2')
    const names: string[] = []
    for (let next: string | null = ''; next !== null; ) {
      const after: string = next === '' ? '' : `&after=${next}`
      const { body } = await admin.send('GET', `/accounts?clientNumber=C2&limit=1${after}`)
      names.push(...body.items.map(({ name }: Json) => name))
      next = body.next
    }
    assert.deepEqual(names, ['Ann', 'Bob', 'Zoe'])
  })

  it('finds by part of the name, without regard to case', async () => {
    await created('Nightly Export')
    const { body } = await admin.send('GET', '/accounts?text=NIGHTLY')
    assert.deepEqual(
      body.items.map(({ name }: Json) => name),
      ['Nightly Export'],
    )
  })

  for (const [query, path] of [
    ['limit=0', '/limit'],
    ['limit=501', '/limit'],
    ['limit=two', '/limit'],
    ['limit=1&limit=2', '/limit'],
    ['after=nothing', '/after'],
    ['client=C1', '/client'],
  ]) {
    it(`refuses ?${query}`, async () => {
      const { status, body } = await admin.send('GET', `/accounts?${query}`)
      assert.equal(status, 400)
      assert.equal(body.details[0].path, path)
    })
  }
})

describe('GET /accounts/:id', () => {
  it('returns what was changed, and by whom', async () => {
    const { account } = await created('Watched')
    await admin.send('POST', `/accounts/${account.id}/lock`, { token: 'ben' })
    const { status, body } = await admin.send('GET', `/accounts/${account.id}`)
    assert.equal(status, 200)
    assert.equal(body.locked, true)
    assert.deepEqual(
      body.history.map(({ actor, action }: Json) => [actor, action]),
      [
        [BY, 'account.create'],
        ['user:ben@example.com', 'account.lock'],
      ],
    )
  })
})

describe('changes of an account', () => {
  it('replace its key: the new one is shown, the old one is refused', async () => {
    const { account, apiKey } = await created('Rotated')
    await admin.newAudit()
    const { status, body } = await admin.send('POST', `/accounts/${account.id}/rotate`)
    assert.equal(status, 200)
    assert.notEqual(body.account.rotatedAt, null)
    assert.deepEqual([await opens(apiKey), await opens(body.apiKey)], [false, true])
    assert.deepEqual(await admin.newAudit(), [
      { actor: BY, action: 'account.rotate', before: null, after: null },
    ])
  })

  it('switch and lock it, and record only real changes', async () => {
    const { account, apiKey } = await created('Switched')
    await admin.newAudit()
    for (const [verb, expected] of [
      ['disable', { active: false, locked: false }],
      ['disable', { active: false, locked: false }],
      ['lock', { active: false, locked: true }],
      ['enable', { active: true, locked: true }],
      ['unlock', { active: true, locked: false }],
    ] as const) {
      const { status, body } = await admin.send('POST', `/accounts/${account.id}/${verb}`)
      assert.equal(status, 200)
      assert.deepEqual({ active: body.active, locked: body.locked }, expected)
      assert.equal(await opens(apiKey), expected.active && !expected.locked)
    }
    assert.deepEqual(
      (await admin.newAudit()).map(({ action, before, after }) => [action, before, after]),
      [
        ['account.disable', { active: true }, { active: false }],
        ['account.lock', { locked: false }, { locked: true }],
        ['account.enable', { active: false }, { active: true }],
        ['account.unlock', { locked: true }, { locked: false }],
      ],
    )
  })

  it('issue a psk, shown once, and remove it', async () => {
    const { account } = await created('Older')
    const { status, body } = await admin.send('POST', `/accounts/${account.id}/psk`)
    assert.equal(status, 200)
    assert.notEqual(body.account.pskIssuedAt, null)
    assert.equal((await admin.store.accounts.lookupPsk(hashPsk(body.psk)))?.accountId, account.id)
    const removed = await admin.send('DELETE', `/accounts/${account.id}/psk`)
    assert.deepEqual([removed.status, removed.body], [204, null])
    assert.equal(await admin.store.accounts.lookupPsk(hashPsk(body.psk)), undefined)
    const shown = [
      await admin.send('GET', `/accounts/${account.id}`),
      await admin.send('GET', '/audit?limit=500'),
    ]
    assert.ok(!JSON.stringify(shown).includes(body.psk))
  })

  it('change name, expiry and notes, each alone, and record only real changes', async () => {
    const { account, apiKey } = await created('Renamed')
    await admin.newAudit()
    const change = async (body: object) =>
      (await admin.send('PATCH', `/accounts/${account.id}`, { body })).body
    assert.equal((await change({ name: ' Nightly ' })).name, 'Nightly')
    assert.equal((await change({ notes: 'Kim asked for it' })).name, 'Nightly')
    assert.equal((await change({ expiresAt: '2999-01-01' })).expiresAt, '2999-01-01T00:00:00.000Z')
    assert.deepEqual((await change({ expiresAt: null })).notes, 'Kim asked for it')
    await change({ notes: 'Kim asked for it', name: 'Nightly' })
    assert.equal((await admin.store.accounts.lookup(hashApiKey(apiKey)))?.accountName, 'Nightly')
    assert.deepEqual(
      (await admin.newAudit()).map(({ action, before, after }) => [action, before, after]),
      [
        ['account.change', { name: 'Renamed' }, { name: 'Nightly' }],
        ['account.change', { notes: null }, { notes: 'Kim asked for it' }],
        ['account.change', { expiresAt: null }, { expiresAt: '2999-01-01T00:00:00.000Z' }],
        ['account.change', { expiresAt: '2999-01-01T00:00:00.000Z' }, { expiresAt: null }],
      ],
    )
  })

  for (const body of [
    { name: '' },
    { clientNumber: 'C2' },
    { expiresAt: '2001-01-01' },
    { notes: 'x'.repeat(1001) },
  ]) {
    it(`refuse ${JSON.stringify(body).slice(0, 40)}`, async () => {
      const { account } = await created('Kept')
      assert.equal((await admin.send('PATCH', `/accounts/${account.id}`, { body })).status, 400)
    })
  }

  it('leave every other account as it was, of the same client and of another', async () => {
    const issue = async (name: string, client: string) => {
      const { account, apiKey } = await created(name, client)
      const { psk } = (await admin.send('POST', `/accounts/${account.id}/psk`)).body
      return { id: account.id as string, apiKey: apiKey as string, psk: psk as string }
    }
    const changed = await issue('Changed', 'B1')
    const bystanders = [await issue('Beside', 'B1'), await issue('Elsewhere', 'B2')]
    const states = () =>
      Promise.all(
        bystanders.map(async ({ id, apiKey, psk }) => ({
          account: (await admin.send('GET', `/accounts/${id}`)).body,
          key: await admin.store.accounts.lookup(hashApiKey(apiKey)),
          psk: await admin.store.accounts.lookupPsk(hashPsk(psk)),
        })),
      )
    const before = await states()
    assert.deepEqual(
      before.map(({ key, psk }) => [key?.clientNumber, psk?.accountId]),
      [
        ['B1', bystanders[0]?.id],
        ['B2', bystanders[1]?.id],
      ],
    )
    for (const [method, path, body] of [
      ['PATCH', '', { name: 'New', notes: 'New', expiresAt: '2999-01-01' }],
      ['POST', '/rotate'],
      ['POST', '/psk'],
      ['DELETE', '/psk'],
      ['POST', '/disable'],
      ['POST', '/lock'],
      ['POST', '/enable'],
      ['POST', '/unlock'],
      ['DELETE', ''],
    ] as const) {
      const { status } = await admin.send(method, `/accounts/${changed.id}${path}`, { body })
      assert.ok(status < 300, `${method} ${path} ${status}`)
      assert.deepEqual(await states(), before, `${method} ${path}`)
    }
  })

  it('remove it with its usage, and the trail stays', async () => {
    const { account, apiKey } = await created('Gone')
    await admin.newAudit()
    assert.equal((await admin.send('DELETE', `/accounts/${account.id}`)).status, 204)
    assert.equal(await opens(apiKey), false)
    assert.equal((await admin.send('GET', `/accounts/${account.id}`)).status, 404)
    assert.deepEqual(
      (await admin.newAudit()).map(({ action }) => action),
      ['account.delete'],
    )
  })

  for (const [method, path] of [
    ['GET', ''],
    ['GET', '/usage'],
    ['PATCH', ''],
    ['DELETE', ''],
    ['POST', '/rotate'],
    ['POST', '/enable'],
    ['POST', '/disable'],
    ['POST', '/lock'],
    ['POST', '/unlock'],
    ['POST', '/psk'],
    ['DELETE', '/psk'],
  ] as const) {
    it(`return 404 for an unknown account (${method} ${path})`, async () => {
      await created('Only one of this name')
      for (const id of [NOBODY, 'Only%20one%20of%20this%20name', 'x'.repeat(90)]) {
        const { status, body } = await admin.send(method, `/accounts/${id}${path}`)
        assert.equal(status, 404, id)
        assert.equal(typeof body.error, 'string')
      }
    })
  }
})

describe('the state of accounts', () => {
  it('narrows their list', async () => {
    const made: Record<string, string> = {}
    for (const name of ['Fine', 'Off', 'Locked', 'Expired', 'Off and locked'])
      made[name] = (await created(name, 'S1')).account.id
    for (const name of ['Off', 'Off and locked']) await admin.send('POST', `/accounts/${made[name]}/disable`)
    for (const name of ['Locked', 'Off and locked']) await admin.send('POST', `/accounts/${made[name]}/lock`)
    const past = 'update accounts set expires_at = ? where id = ?'
    await askControlStore(admin.dataFolder, past, ['2001-01-01T00:00:00.000Z', made.Expired ?? ''])
    const namesIn = async (state: string) => {
      const { body } = await admin.send('GET', `/accounts?clientNumber=S1&state=${state}`)
      assert.equal(body.total, body.items.length)
      return body.items.map(({ name }: Json) => name)
    }
    assert.deepEqual(await namesIn('usable'), ['Fine'])
    assert.deepEqual(await namesIn('disabled'), ['Off', 'Off and locked'])
    assert.deepEqual(await namesIn('locked'), ['Locked', 'Off and locked'])
    assert.deepEqual(await namesIn('expired'), ['Expired'])
    assert.equal((await admin.send('GET', '/accounts?state=new')).status, 400)
  })
})

describe('GET /accounts/usage', () => {
  it('has every account, the most requests first, of the days that are asked for', async () => {
    const use = async (id: string, day: string, requests: number) =>
      askControlStore(
        admin.dataFolder,
        'insert into account_usage (account_id, day, requests, bytes, last_address) values (?, ?, ?, ?, null)',
        [id, day, requests, requests * 10],
      )
    const [busy, quiet, idle] = [
      await created('Usage busy', 'U1'),
      await created('Usage quiet', 'U2'),
      await created('Usage idle', 'U3'),
    ].map(({ account }) => account.id as string)
    await use(busy ?? '', '2026-01-01', 5)
    await use(busy ?? '', '2026-01-02', 5)
    await use(quiet ?? '', '2026-01-02', 7)
    const ask = async (query: string) => {
      const { status, body } = await admin.send('GET', `/accounts/usage?text=usage%20${query}`, {
        token: 'viewer',
      })
      assert.equal(status, 200)
      return body
    }
    const idsOf = ({ items }: Json) => items.map(({ accountId }: Json) => accountId)
    const all = await ask('')
    assert.deepEqual([all.total, idsOf(all)], [3, [busy, quiet, idle]])
    assert.deepEqual(all.items[0], {
      accountId: busy,
      name: 'Usage busy',
      clientNumber: 'U1',
      requests: 10,
      bytes: 100,
      lastDay: '2026-01-02',
    })
    assert.deepEqual([all.items[2].requests, all.items[2].lastDay], [0, null])
    assert.deepEqual(idsOf(await ask('&from=2026-01-02')), [quiet, busy, idle])
    assert.deepEqual(idsOf(await ask('&to=2026-01-02&sort=bytes')).at(-1), busy)
    const first = await ask('&limit=2')
    assert.deepEqual(idsOf(await ask(`&limit=2&after=${first.next}`)), [idle])
    assert.equal((await admin.send('GET', '/accounts/usage?from=2026-13-01')).status, 400)
  })
})
