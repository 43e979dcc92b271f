/** Which deliveries are due, and what an attempt leaves behind when its webhook changed meanwhile. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { ControlStore } from '../control-store.ts'
import { openStorePair, type StorePair } from '../testing/store-pair.ts'
import { askControlStore, openControlStore } from '../testing/stores.ts'
import type { DueDelivery } from './delivery-queue.ts'

const BY = 'operator:test'
const url = 'https://hooks.example.com/'

let pair: StorePair
let store: ControlStore
before(async () => {
  pair = await openStorePair({ secretKey: () => Buffer.alloc(32, 7) })
  store = pair.here
})
after(() => pair.close())

const failed = { at: new Date().toISOString(), status: 500, error: 'It fails', milliseconds: 1 }
const soon = () => ({ kind: 'retry', at: inMilliseconds(5000) }) as const

const inMilliseconds = (milliseconds: number) => new Date(Date.now() + milliseconds)

/** An account with webhooks that have a delivery for each of so many changes. */
async function register({
  expires,
  changes = 1,
  webhooks = 1,
  clientNumber = crypto.randomUUID().slice(0, 20),
}: {
  expires?: string
  changes?: number
  webhooks?: number
  clientNumber?: string
} = {}) {
  const { account } = await store.accounts.create(
    { name: clientNumber, clientNumber, expiresAt: expires },
    BY,
  )
  const { webhook } = await store.webhooks.create(account, { url }, BY)
  for (let i = 1; i < webhooks; i++) await store.webhooks.create(account, { url }, BY)
  const lists = { bookings: { added: 1, changed: 0, removed: 0, changes: '/api/v2/bookings/changes' } }
  const from = await store.dataChanges.recordedUpTo()
  const to = crypto.randomUUID()
  const change = { clientNumber, snapshotId: to, lists }
  // One at a time makes a delivery for each.
  for (let i = 0; i < changes; i++)
    await store.dataChanges.record({ from: i === 0 ? from : to, to }, [change])
  return { account, webhook }
}

type Registered = Awaited<ReturnType<typeof register>>

const dueOf = async (webhookId: string, { now = inMilliseconds(10), limit = 500, limitFailing = 500 } = {}) =>
  (
    await store.webhookDeliveries.due({
      now,
      limit,
      limitFailing,
      perWebhook: 2,
      perClient: 500,
      sending: [],
    })
  ).filter((delivery) => delivery.webhookId === webhookId)

describe('the secrets of a delivery', () => {
  it('do not open with another key than the one that sealed them (DIR652)', async (test) => {
    const { webhook } = await register()
    const other = await openControlStore(pair.folder, { secretKey: () => Buffer.alloc(32, 8) })
    test.after(() => other.close())
    const limits = {
      now: inMilliseconds(10),
      limit: 500,
      limitFailing: 500,
      perWebhook: 2,
      perClient: 500,
      sending: [],
    }
    const due = await other.webhookDeliveries.due(limits)
    const delivery = due.find(({ webhookId }) => webhookId === webhook.id)
    assert.throws(() => delivery?.secrets(), { code: 'DIR652' })
    // Nor does that key seal one, for this webhook or for another.
    const account = await store.accounts.byId(webhook.accountId)
    assert.ok(account)
    await assert.rejects(other.webhooks.create(account, { url }, BY), { code: 'DIR462' })
    await assert.rejects(other.webhooks.rotateSecret(webhook.id, BY), { code: 'DIR462' })
    assert.equal((await dueOf(webhook.id))[0]?.secrets().length, 1)
  })
})

describe('due', () => {
  it('are no deliveries of an account that was locked, has expired or is gone since', async () => {
    const locked = await register()
    const expired = await register({ expires: inMilliseconds(86_400_000).toISOString() })
    const gone = await register()
    for (const { webhook } of [locked, expired, gone]) assert.equal((await dueOf(webhook.id)).length, 1)
    await store.accounts.setLocked(locked.account.id, true, BY)
    assert.equal((await dueOf(locked.webhook.id)).length, 0)
    assert.equal((await dueOf(expired.webhook.id, { now: inMilliseconds(2 * 86_400_000) })).length, 0)
    await store.accounts.remove(gone.account.id, BY)
    assert.equal((await dueOf(gone.webhook.id)).length, 0)
    await store.accounts.setLocked(locked.account.id, false, BY)
    assert.equal((await dueOf(locked.webhook.id)).length, 1)
  })

  it('are those of the account that may read, when other accounts of its client may not', async (test) => {
    const clientNumber = crypto.randomUUID().slice(0, 20)
    const expires = inMilliseconds(86_400_000).toISOString()
    const registered: Registered[] = []
    for (const more of [{}, {}, {}, { expires }])
      registered.push(await register({ clientNumber, changes: 0, ...more }))
    const [served, locked, disabled] = registered as [Registered, Registered, Registered]
    const publish = async () => {
      const [from, snapshotId] = [await store.dataChanges.recordedUpTo(), crypto.randomUUID()]
      const lists = { bookings: { added: 1, changed: 0, removed: 0, changes: '/api/v2/bookings/changes' } }
      await store.dataChanges.record({ from, to: snapshotId }, [{ clientNumber, snapshotId, lists }])
    }
    const made = () =>
      Promise.all(registered.map(async ({ webhook }) => (await store.webhooks.deliveries(webhook.id)).length))
    const dueAt = (now: Date) =>
      Promise.all(registered.map(async ({ webhook }) => (await dueOf(webhook.id, { now })).length))
    await publish()
    assert.deepEqual(
      [await made(), await dueAt(inMilliseconds(10))],
      [
        [1, 1, 1, 1],
        [1, 1, 1, 1],
      ],
    )
    await store.accounts.setLocked(locked.account.id, true, BY)
    await store.accounts.setActive(disabled.account.id, false, BY)
    await publish()
    assert.deepEqual(
      [await made(), await dueAt(inMilliseconds(10))],
      [
        [2, 1, 1, 2],
        [2, 0, 0, 2],
      ],
    )
    const end = new Date(expires)
    assert.deepEqual(await dueAt(new Date(end.getTime() - 1)), [2, 0, 0, 2])
    assert.deepEqual(await dueAt(end), [2, 0, 0, 0])
    test.mock.timers.enable({ apis: ['Date'], now: end.getTime() })
    await publish()
    assert.deepEqual(await made(), [3, 1, 1, 2])
    assert.equal((await store.webhooks.find(served.webhook.id))?.isActive, true)
  })

  it('are no deliveries of an account that does not match its seal, and hold up no others', async () => {
    const [altered, sound] = [await register({ changes: 3 }), await register({ changes: 3 })]
    await store.accounts.setLocked(altered.account.id, true, BY)
    const set = (active: number) =>
      askControlStore(pair.folder, 'update accounts set locked = ? where id = ?', [
        active,
        altered.account.id,
      ])
    await set(0)
    assert.deepEqual(await dueOf(altered.webhook.id, { limit: 1000, limitFailing: 1000 }), [])
    assert.equal((await dueOf(sound.webhook.id, { limit: 1000, limitFailing: 1000 })).length, 2)
    await set(1)
    await store.accounts.setLocked(altered.account.id, false, BY)
    assert.equal((await dueOf(altered.webhook.id, { limit: 1000, limitFailing: 1000 })).length, 2)
  })

  it('are not made for an account that does not match its seal, nor for a webhook with the client of another', async () => {
    const [altered, moved, other] = [await register(), await register(), await register()]
    await store.accounts.setLocked(altered.account.id, true, BY)
    await askControlStore(pair.folder, 'update accounts set locked = 0 where id = ?', [altered.account.id])
    const client = other.account.clientNumber
    await askControlStore(pair.folder, 'update webhooks set client_number = ? where id = ?', [
      client,
      moved.webhook.id,
    ])
    const made = async ({ webhook }: typeof other) => (await store.webhooks.deliveries(webhook.id)).length
    const before = await Promise.all([altered, moved, other].map(made))
    const from = await store.dataChanges.recordedUpTo()
    const lists = { bookings: { added: 1, changed: 0, removed: 0, changes: '/api/v2/bookings/changes' } }
    const changes = [altered, moved, other].map(({ account }) => ({
      clientNumber: account.clientNumber,
      snapshotId: 'next',
      lists,
    }))
    assert.equal(await store.dataChanges.record({ from, to: 'next' }, changes), true)
    const after = await Promise.all([altered, moved, other].map(made))
    assert.deepEqual(
      after.map((count, index) => count - (before[index] ?? 0)),
      [0, 0, 1],
    )
  })

  it('are those behind webhooks with more deliveries than are read at once', async () => {
    const [busy, behind] = [await register({ webhooks: 20, changes: 51 }), await register()]
    assert.equal((await dueOf(busy.webhook.id)).length, 2)
    assert.equal((await dueOf(behind.webhook.id)).length, 1)
  })

  it('are those of clients with few of them first, at most so many of each, and with those that are being sent', async () => {
    const [greedy, modest] = [await register({ webhooks: 20, changes: 60 }), await register()]
    const mine = new Set([greedy.account.clientNumber, modest.account.clientNumber])
    const choose = async (sending: readonly DueDelivery[]) => {
      const limits = { now: inMilliseconds(10), limit: 500, limitFailing: 500, perWebhook: 2, perClient: 4 }
      const due = await store.webhookDeliveries.due({ ...limits, sending })
      return due.filter(({ clientNumber }) => mine.has(clientNumber))
    }
    const countOf = (due: readonly DueDelivery[]) =>
      due.filter(({ webhookId }) => webhookId !== modest.webhook.id).length
    const first = await choose([])
    assert.deepEqual([first.length, countOf(first)], [5, 4])
    const sending = first.filter(({ webhookId }) => webhookId !== modest.webhook.id).slice(0, 3)
    const second = await choose(sending)
    assert.deepEqual([second.length, countOf(second)], [2, 1])
    assert.ok(second.every(({ id }) => sending.every((each) => each.id !== id)))
    const full = await choose([...sending, ...second])
    assert.deepEqual(full, [])
  })

  it('are those of webhooks that work before those of webhooks that fail, which get a part of the places', async () => {
    const failing = await register({ changes: 2 })
    const [delivery] = await dueOf(failing.webhook.id)
    await store.webhookDeliveries.attempted(delivery as DueDelivery, failed, soon())
    const now = inMilliseconds(60_000)
    assert.equal((await dueOf(failing.webhook.id, { now })).length, 2)
    assert.equal((await dueOf(failing.webhook.id, { now, limitFailing: 0 })).length, 0)
    const working = await register()
    const all = await store.webhookDeliveries.due({
      now,
      limit: 500,
      limitFailing: 1,
      perWebhook: 2,
      perClient: 500,
      sending: [],
    })
    assert.deepEqual([all.at(-1)?.webhookId, all.at(-1)?.isFailing], [failing.webhook.id, true])
    assert.ok(all.slice(0, -1).some(({ webhookId }) => webhookId === working.webhook.id))
  })
})

describe('an attempt that ends', () => {
  it('after its webhook was paused does not make the delivery pending again', async () => {
    const { webhook } = await register()
    const { webhook: other } = await register()
    const [delivery] = (await dueOf(webhook.id)) as [DueDelivery]
    assert.equal(await store.webhookDeliveries.pause(delivery, 'It is gone'), true)
    assert.equal((await store.webhooks.find(other.id))?.isActive, true)
    assert.equal((await store.webhooks.deliveries(other.id))[0]?.state, 'pending')
    const trail = await store.accounts.history(webhook.id)
    assert.deepEqual([trail.at(-1)?.action, trail.at(-1)?.actor], ['webhook.pause', 'service:webhooks'])
    await store.webhookDeliveries.attempted(delivery, failed, soon())
    const [found] = await store.webhooks.deliveries(webhook.id)
    assert.deepEqual([found?.state, found?.nextAttemptAt, found?.attempts.length], ['failed', null, 1])
  })

  it('after its webhook got another address does not count against that', async () => {
    const { webhook } = await register()
    const [delivery] = (await dueOf(webhook.id)) as [DueDelivery]
    await store.webhooks.change(webhook.id, { url: `${url}new` }, BY)
    assert.equal(await store.webhookDeliveries.attempted(delivery, failed, soon()), null)
    assert.equal(await store.webhookDeliveries.pause(delivery, 'It is gone'), false)
    const found = await store.webhooks.find(webhook.id)
    assert.deepEqual([found?.isActive, found?.failingSince], [true, null])
    assert.equal((await store.webhooks.deliveries(webhook.id))[0]?.state, 'pending')
  })
})

it('old deliveries are removed unless they are still to be sent', async () => {
  const [served, paused, locked] = [await register(), await register(), await register()]
  await store.webhooks.change(paused.webhook.id, { isActive: false }, BY)
  await store.accounts.setLocked(locked.account.id, true, BY)
  const ended = await register()
  const [delivery] = (await dueOf(ended.webhook.id)) as [DueDelivery]
  await store.webhookDeliveries.attempted(
    delivery,
    { ...failed, status: 200, error: null },
    { kind: 'delivered' },
  )
  await store.dataChanges.prune(inMilliseconds(1000))
  const left = async ({ webhook }: typeof served) => (await store.webhooks.deliveries(webhook.id)).length
  assert.deepEqual(await Promise.all([served, paused, locked, ended].map(left)), [1, 0, 0, 0])
})
