/** Secrets, the tenant and the trail of changes over the admin API. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { openControlStore } from '../../src/directory/open-stores.ts'
import type { Json } from '../fixtures/json.ts'
import { type Admin, startAdmin } from './start-admin.ts'

const BY = 'user:admin@example.com'
const canary = 'a-value-that-nobody-may-see'

let admin: Admin
before(async () => {
  admin = await startAdmin()
})
after(() => admin.close())

const namesOf = (body: Json): string[] => body.items.map(({ name }: Json) => name)

describe('secrets', () => {
  it('are created, changed and removed, and scripts read the values', async () => {
    const { secrets } = admin.store
    const made = await admin.send('PUT', '/secrets/Mail%20key', {
      body: { value: 'first', description: 'Mail' },
    })
    assert.equal(made.status, 200)
    assert.deepEqual([made.body.name, made.body.description, made.body.isActive], ['Mail key', 'Mail', true])
    assert.equal(await secrets.read('mail KEY'), 'first')
    const changed = await admin.send('PUT', '/secrets/mail%20key', { body: { isActive: false } })
    assert.deepEqual([changed.status, changed.body.isActive, changed.body.description], [200, false, 'Mail'])
    assert.equal(await secrets.read('Mail key'), null)
    assert.deepEqual(namesOf((await admin.send('GET', '/secrets')).body), ['Mail key'])
    assert.equal((await admin.send('DELETE', '/secrets/Mail%20key')).status, 204)
    assert.equal((await admin.send('DELETE', '/secrets/Mail%20key')).status, 404)
  })

  it('are refused with 409 while the store belongs to another key, until the service starts without secrets', async () => {
    const elsewhere = await openControlStore(admin.dataFolder, { secretKey: () => Buffer.alloc(32, 9) })
    await elsewhere.secrets.adoptKey()
    await elsewhere.secrets.set('Sealed elsewhere', { value: 'x' }, BY)
    await elsewhere.close()
    const refused = await admin.send('PUT', '/secrets/Sealed%20here', { body: { value: canary } })
    assert.equal(refused.status, 409)
    assert.match(JSON.stringify(refused.body), /delete all secrets, start the service/)
    await admin.send('DELETE', '/secrets/Sealed%20elsewhere')
    const started = await openControlStore(admin.dataFolder, { secretKey: () => Buffer.alloc(32, 7) })
    await started.secrets.adoptKey()
    await started.close()
    assert.equal((await admin.send('PUT', '/secrets/Sealed%20here', { body: { value: 'x' } })).status, 200)
    await admin.send('DELETE', '/secrets/Sealed%20here')
  })

  it('never appear again: in no response, trail, observation or file', async () => {
    const answers = [
      await admin.send('PUT', '/secrets/canary', { body: { value: canary } }),
      await admin.send('PUT', '/secrets/canary', {
        body: { value: `${canary}-2`, expiresAt: '2001-01-01T00:00:00Z' },
      }),
      await admin.send('PUT', '/secrets/canary', { body: { value: canary, isActive: canary } }),
      await admin.send('PUT', '/secrets/canary', { body: `{"value":"${canary}"` }),
      await admin.send('GET', '/secrets'),
      await admin.send('GET', '/audit?limit=500'),
    ]
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 400, 400, 400, 200, 200],
    )
    assert.ok(!JSON.stringify([answers, admin.observations]).includes(canary))
    for (const file of readdirSync(admin.dataFolder)) {
      assert.ok(!readFileSync(join(admin.dataFolder, file)).includes(canary), file)
    }
    await admin.send('DELETE', '/secrets/canary')
  })

  it('have an entry of every change in the trail', async () => {
    await admin.newAudit()
    await admin.send('PUT', '/secrets/traced', { body: { value: 'x' } })
    await admin.send('PUT', '/secrets/traced', { body: { description: 'y' } })
    await admin.send('DELETE', '/secrets/traced')
    const trail = await admin.newAudit()
    assert.deepEqual(
      trail.map(({ actor, action }) => [actor, action.split('.')[0]]),
      [
        [BY, 'secret'],
        [BY, 'secret'],
        [BY, 'secret'],
      ],
    )
  })

  for (const [what, name, body] of [
    ['a new one without a value', 'fresh', {}],
    ['an empty value', 'fresh', { value: '' }],
    ['an unknown member', 'fresh', { value: 'x', plain: true }],
    ['a name with a line break', 'a%0Ab', { value: 'x' }],
  ] as const) {
    it(`refuse ${what}`, async () => {
      assert.equal((await admin.send('PUT', `/secrets/${name}`, { body })).status, 400)
      assert.deepEqual(namesOf((await admin.send('GET', '/secrets')).body), [])
    })
  }
})

describe('the tenant', () => {
  it('exists from the start, and can be renamed', async () => {
    const { status, body } = await admin.send('GET', '/tenant')
    assert.equal(status, 200)
    await admin.newAudit()
    const renamed = await admin.send('PUT', '/tenant', { body: { name: 'Wayfarer Travel' } })
    assert.deepEqual(renamed.body, { id: body.id, name: 'Wayfarer Travel' })
    assert.deepEqual((await admin.send('GET', '/tenant')).body, renamed.body)
    assert.deepEqual(await admin.newAudit(), [
      {
        actor: BY,
        action: 'tenant.rename',
        before: { name: body.name },
        after: { name: 'Wayfarer Travel' },
      },
    ])
  })

  it('refuses a malformed name', async () => {
    for (const body of [{}, { name: 7 }, { name: ' ' }, { name: 'A', id: 'x' }]) {
      assert.equal((await admin.send('PUT', '/tenant', { body })).status, 400)
    }
  })
})

describe('the trail of changes', () => {
  it('is listed newest first, in pages, filtered by actor, action, subject and time', async () => {
    const trailed = await startAdmin()
    try {
      const made = await trailed.send('POST', '/accounts', { body: { name: 'A', clientNumber: 'C1' } })
      const { id, createdAt } = made.body.account
      for (const verb of ['lock', 'unlock']) {
        await trailed.send('POST', `/accounts/${id}/${verb}`, { token: 'ben' })
      }
      await trailed.send('PUT', '/tenant', { body: { name: 'Renamed' } })
      const list = async (query: string) =>
        (await trailed.send('GET', `/audit?${query}`)).body.items.map(({ action }: Json) => action)
      const all = ['tenant.rename', 'account.unlock', 'account.lock', 'account.create']
      assert.deepEqual(await list(''), all)
      assert.deepEqual(await list('actor=user:ben@example.com'), ['account.unlock', 'account.lock'])
      assert.deepEqual(await list('action=account.'), all.slice(1))
      assert.deepEqual(await list(`subjectId=${id}`), all.slice(1))
      assert.deepEqual(await list(`from=${createdAt}`), all)
      assert.deepEqual(await list(`to=${createdAt}`), [])
      assert.deepEqual(await list('to=2001-01-01'), [])
      const { body } = await trailed.send('GET', '/audit?limit=3')
      assert.deepEqual(await list(`limit=3&after=${body.next}`), ['account.create'])
    } finally {
      await trailed.close()
    }
  })

  for (const query of ['from=yesterday', 'to=2026-02-30', 'after=nothing', 'limit=501', 'who=me']) {
    it(`refuses ?${query}`, async () => {
      assert.equal((await admin.send('GET', `/audit?${query}`)).status, 400)
    })
  }
})
