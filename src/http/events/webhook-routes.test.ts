/** Webhooks that accounts register for themselves, over HTTP and with a real store. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createAuthenticator } from '../../auth/authenticate.ts'
import type { ControlStore } from '../../directory/control-store.ts'
import { openStorePair, type StorePair } from '../../directory/testing/store-pair.ts'
import { checkedWebhooks } from '../../events/checked-webhooks.ts'
import { targetRules } from '../../outbound/target.ts'
import { assertProblem } from '../testing/answered-problem.ts'
import { startServer } from '../testing/server.ts'

const BY = 'operator:test'
const PATH = '/api/events/v1/webhooks'

let pair: StorePair
let store: ControlStore
before(async () => {
  pair = await openStorePair({ secretKey: () => Buffer.alloc(32, 7) })
  store = pair.here
})
after(() => pair.close())

async function start(test: Parameters<typeof startServer>[0], mayRegister = true) {
  const { get, observations } = await startServer(test, {
    authenticate: createAuthenticator(store.accounts),
    events: {
      webhooks: checkedWebhooks(store.webhooks, targetRules(undefined)),
      dataChanges: store.dataChanges,
      mayRegister,
    },
  })
  const account = async (clientNumber = crypto.randomUUID().slice(0, 20)) => {
    const issued = await store.accounts.create({ name: crypto.randomUUID(), clientNumber }, BY)
    const send = async (method: string, path = '', body?: unknown, headers = {}) => {
      const response = await get(PATH + path, {
        method,
        headers: {
          'X-API-Key': issued.apiKey,
          ...(body !== undefined && { 'Content-Type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
      const text = await response.text()
      return {
        status: response.status,
        headers: response.headers,
        body: text === '' ? null : JSON.parse(text),
      }
    }
    return { ...issued.account, send }
  }
  return { account, get, observations }
}

describe('an account', () => {
  it('registers, changes, lists and removes its webhooks', async (test) => {
    const { account } = await start(test)
    const { send, id: accountId, clientNumber } = await account()
    const made = await send('POST', '', { url: ' https://example.com/hook ', lists: ['invoices'] })
    assert.equal(made.status, 201)
    assert.equal(made.headers.get('cache-control'), 'no-store')
    assert.match(made.body.secret, /^whsec_[A-Za-z0-9+/]{32}$/)
    const { webhook } = made.body
    const { id, createdAt, updatedAt, ...rest } = webhook
    assert.deepEqual(rest, {
      accountId,
      clientNumber,
      url: 'https://example.com/hook',
      description: null,
      lists: ['invoices'],
      isActive: true,
      pausedReason: null,
      failingSince: null,
      oldSecretUntil: null,
      createdBy: `account:${accountId}`,
    })
    const changed = await send('PATCH', `/${id}`, { description: 'Night', lists: null, isActive: false })
    assert.deepEqual(
      [changed.status, changed.body.description, changed.body.lists, changed.body.isActive, changed.body.url],
      [200, 'Night', null, false, 'https://example.com/hook'],
    )
    assert.deepEqual((await send('GET', `/${id.toUpperCase()}`)).body, changed.body)
    assert.deepEqual((await send('GET')).body.items, [changed.body])
    const rotated = await send('POST', `/${id}/rotate-secret`)
    assert.notEqual(rotated.body.secret, made.body.secret)
    assert.ok(rotated.body.webhook.oldSecretUntil > new Date().toISOString())
    assert.equal((await send('DELETE', `/${id}`)).status, 204)
    assert.equal((await send('GET', `/${id}`)).status, 404)
    assert.deepEqual((await send('GET')).body.items, [])
  })

  it('finds its deliveries in pages, and sends one again', async (test) => {
    const { account } = await start(test)
    const { send } = await account()
    const { id } = (await send('POST', '', { url: 'https://example.com/' })).body.webhook
    const tests = []
    for (let i = 0; i < 3; i++) tests.push(await send('POST', `/${id}/test`))
    assert.deepEqual(
      tests.map(({ status, body }) => [status, body.state, body.message.type]),
      Array(3).fill([202, 'pending', 'webhook.test']),
    )
    const first = (await send('GET', `/${id}/deliveries?limit=2`)).body
    const second = (await send('GET', `/${id}/deliveries?limit=2&after=${first.next}`)).body
    assert.deepEqual([first.items.length, second.items.length, second.next], [2, 1, null])
    assert.deepEqual(
      new Set([...first.items, ...second.items].map((delivery: { id: string }) => delivery.id)),
      new Set(tests.map(({ body }) => body.id)),
    )
    assert.deepEqual((await send('GET', `/${id}/deliveries?state=failed`)).body.items, [])
    assert.equal((await send('POST', `/${id}/deliveries/${first.next}/resend`)).status, 202)
    assert.equal((await send('POST', `/${id}/deliveries/msg_x/resend`)).status, 404)
    for (const [query, reason] of [
      ['limit=0', /from 1 to 500/],
      ['limit=x', /from 1 to 500/],
      ['state=new', /one of pending, delivered, failed/],
    ] as const) {
      const refused = await send('GET', `/${id}/deliveries?${query}`)
      assert.equal(refused.status, 400)
      assert.match(refused.body.error, reason)
    }
  })

  // An account of the same client is another account all the same, and so is one of a client that looks like it.
  for (const [whose, clientOf] of [
    ['another client', () => undefined],
    ['the same client', (client: string) => client],
    ['a client that differs in a byte order mark', (client: string) => `\ufeff${client}`],
    ['a client that differs in letter case', (client: string) => client.toUpperCase()],
  ] as const) {
    it(`neither sees nor changes the webhooks of another account of ${whose}`, async (test) => {
      const { account } = await start(test)
      const owner = await account(`c${crypto.randomUUID().slice(0, 8)}`)
      const other = await account(clientOf(owner.clientNumber))
      const { id } = (await owner.send('POST', '', { url: 'https://example.com/' })).body.webhook
      const delivery = (await owner.send('POST', `/${id}/test`)).body.id
      const attempts: readonly (readonly [string, string, unknown?])[] = [
        ['GET', `/${id}`],
        ['PATCH', `/${id}`, { isActive: false }],
        ['DELETE', `/${id}`],
        ['POST', `/${id}/rotate-secret`],
        ['POST', `/${id}/test`],
        ['GET', `/${id}/deliveries`],
        ['POST', `/${id}/deliveries/${delivery}/resend`],
      ]
      for (const [method, path, body] of attempts) {
        assert.equal((await other.send(method, path, body)).status, 404, `${method} ${path}`)
      }
      assert.deepEqual((await other.send('GET')).body.items, [])
      assert.equal((await owner.send('GET', `/${id}`)).body.isActive, true)
    })
  }

  it('finds and sends no delivery of another webhook through its own', async (test) => {
    const { account } = await start(test)
    const [owner, other] = [await account(), await account()]
    const register = async ({ send }: typeof owner) => {
      const { id } = (await send('POST', '', { url: 'https://example.com/' })).body.webhook
      return { id, delivery: (await send('POST', `/${id}/test`)).body.id }
    }
    const [own, second, foreign] = [await register(owner), await register(owner), await register(other)]
    const before = await Promise.all([second, foreign].map(({ id }) => store.webhooks.deliveries(id)))
    const listed = async (query = '') =>
      (await owner.send('GET', `/${own.id}/deliveries${query}`)).body.items.map(
        (item: { id: string }) => item.id,
      )
    assert.deepEqual(await listed(), [own.delivery])
    for (const { delivery } of [second, foreign]) {
      assert.equal((await owner.send('POST', `/${own.id}/deliveries/${delivery}/resend`)).status, 404)
      assert.deepEqual(await listed(`?after=${delivery}`), [])
    }
    const after = await Promise.all([second, foreign].map(({ id }) => store.webhooks.deliveries(id)))
    assert.deepEqual(after, before)
  })

  it('may do so only where the operator allows it, and with its key', async (test) => {
    const { account, get } = await start(test, false)
    const { send } = await account()
    assert.equal((await send('GET')).status, 403)
    assert.match((await send('POST', '', { url: 'https://example.com/' })).body.error, /Ask its operator/)
    assert.equal((await get(PATH, { headers: { 'X-API-Key': 'unknown' } })).status, 401)
    assert.equal((await get('/api/events/v1/stream', { headers: { 'X-API-Key': 'unknown' } })).status, 401)
  })

  const refused: readonly (readonly [what: string, body: unknown, status: number, reason: RegExp])[] = [
    ['without a URL', { description: 'x' }, 400, /cannot be saved/],
    ['that is no object', [], 400, /JSON object/],
    ['that is no JSON', '{', 400, /not valid JSON/],
    ['with an unknown member', { url: 'https://example.com/', secret: 'mine' }, 400, /cannot be saved/],
    ['for an unknown list', { url: 'https://example.com/', lists: ['trips'] }, 400, /cannot be saved/],
    ['for no list', { url: 'https://example.com/', lists: [] }, 400, /cannot be saved/],
    [
      'for a list twice',
      { url: 'https://example.com/', lists: ['bookings', 'bookings'] },
      400,
      /cannot be saved/,
    ],
    ['by http', { url: 'http://example.com/' }, 400, /begins with https/],
    ['to this machine', { url: 'https://127.1/' }, 400, /127\.0\.0\.1 is not on the public internet/],
    ['with a number as URL', { url: 1 }, 400, /cannot be saved/],
    ['that is too large', { url: 'https://example.com/', description: 'x'.repeat(20_000) }, 413, /too large/],
  ]
  for (const [what, body, status, reason] of refused) {
    it(`cannot register a webhook ${what}`, async (test) => {
      const { account } = await start(test)
      const { send } = await account()
      const answer = await send('POST', '', body)
      assert.equal(answer.status, status, JSON.stringify(answer.body))
      assert.match(answer.body.error, reason)
      assert.deepEqual((await send('GET')).body.items, [])
    })
    if (what === 'without a URL') continue
    it(`cannot change a webhook to one ${what}`, async (test) => {
      const { account } = await start(test)
      const { send } = await account()
      const { webhook } = (await send('POST', '', { url: 'https://example.com/' })).body
      const answer = await send('PATCH', `/${webhook.id}`, body)
      assert.equal(answer.status, status, JSON.stringify(answer.body))
      assert.match(answer.body.error, reason)
      assert.deepEqual((await send('GET')).body.items, [webhook])
    })
  }

  it('has at most 20 webhooks, however many the other account of its client has', async (test) => {
    const { account } = await start(test)
    const { send, clientNumber } = await account()
    const other = await account(clientNumber)
    assert.equal((await other.send('POST', '', { url: 'https://example.com/' })).status, 201)
    for (let i = 0; i < 20; i++)
      assert.equal((await send('POST', '', { url: `https://example.com/${i}` })).status, 201)
    assert.equal((await send('POST', '', { url: 'https://example.com/' })).status, 409)
    assert.equal((await other.send('POST', '', { url: 'https://example.com/' })).status, 201)
  })
})

describe('the tests of a webhook', () => {
  it('are at most ten at once; those of another webhook, and of another account, are sent all the same', async (test) => {
    const allowed = await start(test)
    const [one, another] = [await allowed.account(), await allowed.account()]
    const register = async ({ send }: typeof one) =>
      (await send('POST', '', { url: 'https://example.com/' })).body.webhook.id as string
    const [full, free, foreign] = [await register(one), await register(one), await register(another)]
    const answers = await Promise.all(Array.from({ length: 15 }, () => one.send('POST', `/${full}/test`)))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [
      ...Array(10).fill(202),
      ...Array(5).fill(429),
    ])
    const refused = await one.send('POST', `/${full}/test`)
    assert.match(refused.body.error, /10 tests of this webhook wait to be sent already/)
    await assertProblem(allowed.observations, { headers: refused.headers }, 'DIR658')
    assert.equal((await one.send('POST', `/${free}/test`)).status, 202)
    assert.equal((await another.send('POST', `/${foreign}/test`)).status, 202)
  })
})

describe('the refusals of webhooks', () => {
  it('have codes of their own', async (test) => {
    const allowed = await start(test)
    const { send } = await allowed.account()
    const coded = async (method: string, path: string, body?: unknown) => {
      const { headers } = await send(method, path, body)
      return (code: string) => assertProblem(allowed.observations, { headers }, code)
    }
    await (await coded('GET', '/x'))('SRV136')
    await (await coded('POST', '', []))('SRV137')
    for (let i = 0; i < 20; i++) await send('POST', '', { url: `https://example.com/${i}` })
    await (await coded('POST', '', { url: 'https://example.com/' }))('DIR651')
    const refusing = await start(test, false)
    const { headers } = await (await refusing.account()).send('GET')
    await assertProblem(refusing.observations, { headers }, 'SRV135')
  })
})
