/** Webhooks over the admin API, with a real store. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Json } from '../fixtures/json.ts'
import { type Admin, startAdmin } from './start-admin.ts'

let admin: Admin
let accountId: string
before(async () => {
  admin = await startAdmin()
  accountId = (await admin.send('POST', '/accounts', { body: { name: 'Export', clientNumber: 'C1' } })).body
    .account.id
})
after(() => admin.close())

const url = 'https://example.com/hook'
const create = async (members: object = {}): Promise<Json> => {
  const made = await admin.send('POST', '/webhooks', { body: { accountId, url, ...members } })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  return made.body
}

describe('webhooks', () => {
  it('are registered for an account, changed, and removed, and the trail says by whom', async () => {
    await admin.newAudit()
    const { webhook, secret } = await create({ lists: ['bookings'] })
    assert.match(secret, /^whsec_/)
    assert.deepEqual(
      [webhook.accountId, webhook.clientNumber, webhook.createdBy],
      [accountId, 'C1', 'user:admin@example.com'],
    )
    const path = `/webhooks/${webhook.id}`
    const paused = await admin.send('PATCH', path, { body: { isActive: false } })
    assert.deepEqual([paused.status, paused.body.isActive], [200, false])
    const rotated = await admin.send('POST', `${path}/rotate-secret`)
    assert.notEqual(rotated.body.secret, secret)
    assert.equal((await admin.send('DELETE', path)).status, 204)
    assert.equal((await admin.send('GET', path)).status, 404)
    const trail = await admin.newAudit()
    assert.deepEqual(
      trail.map(({ actor, action, after: made }) => [actor, action, made]),
      [
        [
          'user:admin@example.com',
          'webhook.create',
          { accountId, description: null, lists: ['bookings'], isActive: true, url },
        ],
        ['user:admin@example.com', 'webhook.update', { isActive: false }],
        [
          'user:admin@example.com',
          'webhook.rotate-secret',
          { oldSecretUntil: rotated.body.webhook.oldSecretUntil },
        ],
        ['user:admin@example.com', 'webhook.delete', null],
      ],
    )
    assert.doesNotMatch(JSON.stringify(trail), /whsec_/)
  })

  it('are listed in pages, also for one account or client', async () => {
    const made = [await create(), await create(), await create()].map(({ webhook }) => webhook.id)
    const first = (await admin.send('GET', '/webhooks?limit=2')).body
    const second = (await admin.send('GET', `/webhooks?limit=2&after=${first.next}`)).body
    assert.deepEqual([first.items.length, first.next === null], [2, false])
    assert.equal(second.items.length, 1)
    const of = async (query: string) =>
      (await admin.send('GET', `/webhooks?${query}`)).body.items.map(({ id }: Json) => id)
    assert.deepEqual((await of(`accountId=${accountId}`)).sort(), made.sort())
    assert.deepEqual((await of('clientNumber=C1')).length, 3)
    assert.deepEqual(await of('clientNumber=C2'), [])
  })

  it('show their deliveries, send them again, and send tests', async () => {
    const { webhook } = await create()
    const path = `/webhooks/${webhook.id}`
    const sent = await admin.send('POST', `${path}/test`)
    assert.deepEqual([sent.status, sent.body.state], [202, 'pending'])
    const { webhook: other } = await create()
    await admin.send('POST', `/webhooks/${other.id}/test`)
    const { items, next, total } = (await admin.send('GET', `${path}/deliveries`)).body
    assert.deepEqual([items.map(({ id }: Json) => id), next, total], [[sent.body.id], null, 1])
    assert.equal((await admin.send('POST', `${path}/deliveries/${sent.body.id}/resend`)).status, 202)
    assert.equal((await admin.send('POST', `${path}/deliveries/x/resend`)).status, 404)
    assert.equal((await admin.send('GET', `${path}/deliveries?state=new`)).status, 400)
    const wrong = await admin.send('GET', `${path}/deliveries?after=${sent.body.id}x`)
    assert.deepEqual([wrong.status, wrong.body.details[0].path], [400, '/after'])
    assert.equal((await admin.send('GET', `${path}/deliveries?after=${sent.body.id}`)).status, 200)
  })

  it('are refused for unknown accounts, unknown webhooks and addresses inside of the network', async () => {
    const unknown = '00000000-0000-4000-8000-000000000000'
    const statuses = await Promise.all([
      admin.send('POST', '/webhooks', { body: { accountId: unknown, url } }),
      admin.send('POST', '/webhooks', { body: { accountId } }),
      admin.send('POST', '/webhooks', { body: { accountId, url: 'https://10.0.0.1/' } }),
      // The operator of this test trusts 127.0.0.1.
      admin.send('POST', '/webhooks', { body: { accountId, url: 'http://127.0.0.1:1/' } }),
      admin.send('GET', `/webhooks/${unknown}`),
      admin.send('PATCH', `/webhooks/${unknown}`, { body: {} }),
      admin.send('POST', `/webhooks/${unknown}/test`),
      admin.send('GET', '/webhooks', { token: 'user' }),
    ])
    assert.deepEqual(
      statuses.map(({ status }) => status),
      [404, 400, 400, 201, 404, 404, 404, 403],
    )
  })

  it('keep their address when they are changed to one inside of the network', async () => {
    const { webhook } = await create()
    const path = `/webhooks/${webhook.id}`
    for (const address of [
      'https://10.0.0.1/',
      'http://169.254.169.254/',
      ' https://[::1]/',
      'ftp://a.example/',
    ]) {
      const refused = await admin.send('PATCH', path, { body: { url: address } })
      assert.equal(refused.status, 400, address)
      assert.equal((await admin.send('GET', path)).body.url, url)
    }
    const trusted = await admin.send('PATCH', path, { body: { url: 'http://127.0.0.1:1/' } })
    assert.deepEqual([trusted.status, trusted.body.url], [200, 'http://127.0.0.1:1/'])
  })
})
