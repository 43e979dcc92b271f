/** Deliveries from a real store to a real server on this machine, by the retry rules on a clock of the test. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it, type TestContext } from 'node:test'
import { Webhook as Verifier } from 'standardwebhooks'
import type { ControlStore } from '../directory/control-store.ts'
import { openStorePair, type StorePair } from '../directory/testing/store-pair.ts'
import type { Observation } from '../observe/observation.ts'
import { openSender } from '../outbound/send-request.ts'
import { targetRules } from '../outbound/target.ts'
import type { DataChange } from '../schema/webhook-shapes.ts'
import { deliverWebhooks } from './deliver-webhooks.ts'

const BY = 'operator:test'

let pair: StorePair
let store: ControlStore
before(async () => {
  pair = await openStorePair({ secretKey: () => Buffer.alloc(32, 7) })
  store = pair.here
})
after(() => pair.close())

type Received = { readonly headers: IncomingMessage['headers']; readonly body: string }

/** A server that answers as the test says, and tells what it received. */
async function receiver(test: TestContext, answer: (response: ServerResponse, count: number) => void) {
  const received: Received[] = []
  const news = new EventTarget()
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    received.push({ headers: request.headers, body })
    answer(response, received.length)
    news.dispatchEvent(new Event('received'))
  }).listen(0, '127.0.0.1')
  test.after(() => {
    server.closeAllConnections()
    server.close()
  })
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  const until = async (count: number) => {
    while (received.length < count) await once(news, 'received')
  }
  return { url, received, until }
}

/** A client of its own for each test, with a webhook. */
async function register(test: TestContext, url: string, lists: readonly ['invoices'] | null = null) {
  const clientNumber = crypto.randomUUID().slice(0, 20)
  const { account } = await store.accounts.create({ name: clientNumber, clientNumber }, BY)
  const { webhook, secret } = await store.webhooks.create(account, { url, lists: lists && [...lists] }, BY)
  test.after(() => store.accounts.remove(account.id, BY))
  return { account, clientNumber, webhook, secret }
}

const counts = { added: 1, changed: 2, removed: 3 }

async function publish(clientNumber: string, lists: DataChange['lists']): Promise<string> {
  const snapshotId = crypto.randomUUID()
  const from = await store.dataChanges.recordedUpTo()
  assert.equal(
    await store.dataChanges.record({ from, to: snapshotId }, [{ clientNumber, snapshotId, lists }]),
    true,
  )
  return snapshotId
}

const bookings: DataChange['lists'] = { bookings: { ...counts, changes: '/api/v2/bookings/changes' } }

/** Delivers until the test ends, with a clock that the test sets. */
function deliver(test: TestContext, members: { timeoutMs?: number } = {}, queue = store.webhookDeliveries) {
  let now = new Date()
  const observed: Observation[] = []
  const news = new EventTarget()
  const start = () =>
    deliverWebhooks(
      {
        queue,
        notifications: store.notifications,
        send: openSender(targetRules('127.0.0.1')),
        version: '1.2.3',
        observe: (fact) => {
          observed.push(fact)
          news.dispatchEvent(new Event('observed'))
        },
        pace: { lookMs: 5, timeoutMs: 5000, concurrency: 16, perWebhook: 2, ...members },
        now: () => now,
        random: () => 0,
      },
      new AbortController().signal,
    )
  let stop = start()
  test.after(() => stop())
  return {
    observed,
    setClock: (milliseconds: number) => {
      now = new Date(milliseconds)
    },
    clock: () => now.getTime(),
    /** Waits for the record of so many attempts. */
    attempts: async (count: number) => {
      while (observed.filter(({ kind }) => kind === 'webhook-sent').length < count)
        await once(news, 'observed')
    },
    until: async (kind: Observation['kind']) => {
      while (!observed.some((fact) => fact.kind === kind)) await once(news, 'observed')
    },
    restart: async () => {
      await stop()
      stop = start()
    },
  }
}

describe('a delivery', () => {
  it('is signed by the rules of Standard Webhooks, and says what changed', async (test) => {
    const { url, received, until } = await receiver(test, (response) => response.writeHead(204).end())
    const { clientNumber, webhook, secret } = await register(test, url)
    const snapshotId = await publish(clientNumber, bookings)
    const delivering = deliver(test)
    await until(1)
    await delivering.attempts(1)
    const { headers, body } = received[0] as Received
    const message = new Verifier(secret).verify(body, headers as Record<string, string>)
    assert.deepEqual(message, {
      type: 'data.changed',
      timestamp: (message as { timestamp: string }).timestamp,
      data: { clientNumber, snapshotId, lists: bookings },
    })
    assert.deepEqual(
      [headers['content-type'], headers['user-agent']],
      ['application/json', 'Tripfolio/1.2.3'],
    )
    const [delivery] = await store.webhooks.deliveries(webhook.id)
    assert.deepEqual(
      [delivery?.id, delivery?.state, delivery?.attempts.length, delivery?.attempts[0]?.status],
      [headers['webhook-id'], 'delivered', 1, 204],
    )
    assert.throws(() => new Verifier(secret).verify(`${body} `, headers as Record<string, string>))
  })

  it('is signed with the old secret as well for a day after a rotation', async (test) => {
    const { url, received, until } = await receiver(test, (response) => response.end())
    const { clientNumber, webhook, secret } = await register(test, url)
    const rotated = await store.webhooks.rotateSecret(webhook.id, BY)
    await publish(clientNumber, bookings)
    const delivering = deliver(test)
    await until(1)
    for (const each of [secret, rotated?.secret as string]) {
      const { headers, body } = received[0] as Received
      new Verifier(each).verify(body, headers as Record<string, string>)
    }
    delivering.setClock(Date.now() + 25 * 3_600_000)
    await publish(clientNumber, bookings)
    await until(2)
    assert.equal(String(received[1]?.headers['webhook-signature']).split(' ').length, 1)
  })

  it('is made only for the lists that a webhook wants, and for accounts that may read', async (test) => {
    const { url, received, until } = await receiver(test, (response) => response.end())
    const wanting = await register(test, url, ['invoices'])
    const locked = await register(test, url)
    await store.accounts.setLocked(locked.account.id, true, BY)
    await publish(wanting.clientNumber, bookings)
    await publish(locked.clientNumber, bookings)
    const invoices = { ...counts, changes: '/api/v2/invoices/changes' }
    await publish(wanting.clientNumber, { ...bookings, invoices })
    deliver(test)
    await until(1)
    assert.deepEqual(JSON.parse(received[0]?.body as string).data.lists, { invoices })
    assert.deepEqual(await store.webhooks.deliveries(locked.webhook.id), [])
    assert.equal((await store.webhooks.deliveries(wanting.webhook.id)).length, 1)
  })
})

describe('a delivery that fails', () => {
  it('is sent again with the same id, later each time, until the receiver takes it', async (test) => {
    const { url, received, until } = await receiver(test, (response, count) =>
      response.writeHead(count < 3 ? 500 : 200).end(),
    )
    const { clientNumber, webhook } = await register(test, url)
    await publish(clientNumber, bookings)
    const delivering = deliver(test)
    const began = delivering.clock()
    for (const [attempt, seconds] of [5, 60].entries()) {
      await delivering.attempts(attempt + 1)
      const [pending] = await store.webhooks.deliveries(webhook.id)
      const delay = (Date.parse(pending?.nextAttemptAt as string) - delivering.clock()) / 1000
      assert.deepEqual([pending?.state, Math.round(delay)], ['pending', seconds])
      delivering.setClock(delivering.clock() + seconds * 1000)
    }
    await until(3)
    await delivering.attempts(3)
    assert.equal(new Set(received.map(({ headers }) => headers['webhook-id'])).size, 1)
    const [delivery] = await store.webhooks.deliveries(webhook.id)
    assert.deepEqual(
      [delivery?.state, delivery?.attempts.map(({ status }) => status)],
      ['delivered', [500, 500, 200]],
    )
    const found = await store.webhooks.find(webhook.id)
    assert.deepEqual([found?.failingSince, found?.isActive], [null, true])
    assert.ok(delivering.clock() > began)
  })

  it('waits as long as the receiver asks for', async (test) => {
    const { url } = await receiver(test, (response) =>
      response.writeHead(503, { 'Retry-After': '600' }).end(),
    )
    const { clientNumber, webhook } = await register(test, url)
    await publish(clientNumber, bookings)
    const delivering = deliver(test)
    await delivering.attempts(1)
    const [pending] = await store.webhooks.deliveries(webhook.id)
    assert.equal(Math.round((Date.parse(pending?.nextAttemptAt as string) - delivering.clock()) / 1000), 600)
  })

  const faults: readonly (readonly [
    what: string,
    answer: (response: ServerResponse) => void,
    reason: RegExp,
  ])[] = [
    [
      'because the receiver redirects',
      (response) => response.writeHead(301, { Location: 'http://127.0.0.1/' }).end(),
      /redirect \(301\)/,
    ],
    ['because the receiver hangs', () => undefined, /did not answer within 100 ms/],
    [
      'because the receiver breaks the connection',
      (response) => response.destroy(),
      /cannot be reached: socket hang up/,
    ],
  ]
  for (const [what, answer, reason] of faults) {
    it(`${what}`, async (test) => {
      const { url, received } = await receiver(test, answer)
      const { clientNumber, webhook } = await register(test, url)
      await publish(clientNumber, bookings)
      const delivering = deliver(test, what === 'because the receiver hangs' ? { timeoutMs: 100 } : {})
      await delivering.attempts(1)
      const [delivery] = await store.webhooks.deliveries(webhook.id)
      assert.match(String(delivery?.attempts[0]?.error), reason)
      assert.deepEqual([delivery?.state, received.length], ['pending', 1])
    })
  }

  it('for three days pauses its webhook, and tells the operators', async (test) => {
    const { url, received } = await receiver(test, (response) => response.writeHead(500).end())
    const { clientNumber, webhook } = await register(test, url)
    await publish(clientNumber, bookings)
    const delivering = deliver(test)
    await delivering.attempts(1)
    delivering.setClock(delivering.clock() + 3 * 86_400_000 + 60_000)
    await delivering.until('webhook-paused')
    const paused = await store.webhooks.find(webhook.id)
    assert.deepEqual(
      [paused?.isActive, paused?.pausedReason?.slice(0, 30)],
      [false, 'No delivery has succeeded sinc'],
    )
    const [delivery] = await store.webhooks.deliveries(webhook.id)
    assert.equal(delivery?.state, 'failed')
    await delivering.restart()
    const [notification] = await store.notifications.list('user:ann@example.com', { limit: 1 })
    assert.match(String(notification?.message), new RegExp(webhook.id))
    // What changes while it is paused is not queued.
    const count = received.length
    await publish(clientNumber, bookings)
    assert.equal((await store.webhooks.deliveries(webhook.id)).length, 1)
    const resumed = await store.webhooks.change(webhook.id, { isActive: true }, BY)
    assert.deepEqual([resumed?.isActive, resumed?.pausedReason, resumed?.failingSince], [true, null, null])
    await publish(clientNumber, bookings)
    assert.equal((await store.webhooks.deliveries(webhook.id)).length, 2)
    assert.equal(received.length, count)
  })

  it('at its last attempt pauses a webhook that has no other deliveries', async (test) => {
    const { url } = await receiver(test, (response) => response.writeHead(500).end())
    const { clientNumber, webhook } = await register(test, url)
    await publish(clientNumber, bookings)
    const delivering = deliver(test)
    for (let attempt = 1; (await store.webhooks.deliveries(webhook.id))[0]?.state === 'pending'; attempt++) {
      await delivering.attempts(attempt)
      const [delivery] = await store.webhooks.deliveries(webhook.id)
      if (delivery?.nextAttemptAt) delivering.setClock(Date.parse(delivery.nextAttemptAt))
    }
    await delivering.until('webhook-paused')
    assert.equal((await store.webhooks.find(webhook.id))?.isActive, false)
  })

  it('because the receiver is gone (410) pauses its webhook at once', async (test) => {
    const { url } = await receiver(test, (response) => response.writeHead(410).end())
    const { clientNumber, webhook } = await register(test, url)
    await publish(clientNumber, bookings)
    await deliver(test).until('webhook-paused')
    assert.match(String((await store.webhooks.find(webhook.id))?.pausedReason), /410/)
  })
})

describe('the queue', () => {
  it('keeps a delivery whose sender was cut off, and sends it again', async (test) => {
    let answersNow = false
    const { url, received, until } = await receiver(test, (response) => {
      if (answersNow) response.end()
    })
    const { clientNumber, webhook } = await register(test, url)
    await publish(clientNumber, bookings)
    const delivering = deliver(test)
    await until(1)
    answersNow = true
    await delivering.restart()
    await delivering.attempts(1)
    assert.deepEqual(received[0]?.headers['webhook-id'], received[1]?.headers['webhook-id'])
    const [delivery] = await store.webhooks.deliveries(webhook.id)
    assert.deepEqual([delivery?.state, delivery?.attempts.length], ['delivered', 1])
    assert.deepEqual(
      delivering.observed.filter(({ kind }) => kind === 'webhook-queue-failed'),
      [],
    )
  })

  it('does not let a receiver that hangs delay the others', async (test) => {
    const hanging = await receiver(test, () => undefined)
    const quick = await receiver(test, (response) => response.end())
    const slow = await register(test, hanging.url)
    const fast = await register(test, quick.url)
    for (let i = 0; i < 30; i++) await publish(slow.clientNumber, bookings)
    await publish(fast.clientNumber, bookings)
    const delivering = deliver(test)
    await quick.until(1)
    await hanging.until(2)
    await delivering.attempts(1)
    assert.equal(hanging.received.length, 2)
  })

  it('does not send one again and again while its outcome cannot be written', async (test) => {
    const { url, received } = await receiver(test, (response) => response.end())
    const { clientNumber, webhook } = await register(test, url)
    await publish(clientNumber, bookings)
    let refusals = 5
    const delivering = deliver(
      test,
      {},
      {
        ...store.webhookDeliveries,
        attempted: async (...args) => {
          if (refusals-- > 0) throw new Error('the disk is full')
          return store.webhookDeliveries.attempted(...args)
        },
      },
    )
    await delivering.attempts(1)
    assert.equal(delivering.observed.filter(({ kind }) => kind === 'webhook-queue-failed').length, 1)
    assert.equal((await store.webhooks.deliveries(webhook.id))[0]?.state, 'delivered')
    assert.equal(received.length, 1)
  })

  it('sends one again that was delivered, when somebody asks', async (test) => {
    const { url, received, until } = await receiver(test, (response) => response.end())
    const { clientNumber, webhook } = await register(test, url)
    await publish(clientNumber, bookings)
    const delivering = deliver(test)
    await delivering.attempts(1)
    const [delivered] = await store.webhooks.deliveries(webhook.id)
    const again = await store.webhooks.resend(webhook.id, delivered?.id as string, BY)
    assert.equal(again?.state, 'pending')
    delivering.setClock(Date.now())
    await until(2)
    await delivering.attempts(2)
    assert.equal(received[0]?.body, received[1]?.body)
    assert.equal((await store.webhooks.deliveries(webhook.id))[0]?.attempts.length, 2)
    assert.equal(await store.webhooks.resend(webhook.id, 'msg_unknown', BY), null)
  })
})
