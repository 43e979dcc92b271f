/** What is recorded when snapshots become current, also over restarts and next to another node. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, describe, it, type TestContext } from 'node:test'
import type { ControlStore } from '../directory/control-store.ts'
import { openStorePair, type StorePair } from '../directory/testing/store-pair.ts'
import type { Observation } from '../observe/observation.ts'
import { type ClientChange, recordChanges } from './record-changes.ts'

let pair: StorePair
before(async () => {
  pair = await openStorePair({ secretKey: () => Buffer.alloc(32, 7) })
})
after(() => pair.close())

const change: ClientChange = { clientNumber: 'C1', lists: { bookings: { added: 1, changed: 0, removed: 2 } } }

/** Follows the snapshots that the test makes current. */
function follow(
  test: TestContext,
  store: ControlStore,
  first: string | null,
  fails: { now: boolean } = { now: false },
) {
  let current = first
  const asked: string[] = []
  const observed: Observation[] = []
  const news = new EventTarget()
  const stop = recordChanges(
    {
      dataChanges: store.dataChanges,
      currentSnapshotId: () => current,
      findChanges: async (from, to) => {
        asked.push(`${from} ${to}`)
        if (fails.now) throw new Error('the files are away')
        return [change]
      },
      observe: (fact) => {
        observed.push(fact)
        news.dispatchEvent(new Event('observed'))
      },
      everyMs: 2,
    },
    new AbortController().signal,
  )
  test.after(stop)
  return {
    asked,
    observed,
    stop,
    publish: (id: string) => {
      current = id
    },
    until: async (kind: Observation['kind'], count = 1) => {
      while (observed.filter((fact) => fact.kind === kind).length < count) await once(news, 'observed')
    },
  }
}

describe('changes', () => {
  it('are recorded from snapshot to snapshot, once, also after a restart', async (test) => {
    const store = pair.here
    const first = follow(test, store, 'S1')
    await first.until('changes-recorded')
    assert.deepEqual([first.asked, await store.dataChanges.newestSequence()], [[], 0])
    first.publish('S2')
    await first.until('changes-recorded', 2)
    await first.stop()
    // While no service ran, S3 and S4 were published.
    const second = follow(test, store, 'S4')
    await second.until('changes-recorded')
    assert.deepEqual([...first.asked, ...second.asked], ['S1 S2', 'S2 S4'])
    const found = await store.dataChanges.after('C1', 0, 10)
    assert.deepEqual(
      found.map(({ sequence, data }) => [sequence, data.snapshotId]),
      [
        [1, 'S2'],
        [2, 'S4'],
      ],
    )
    assert.deepEqual(found[0]?.data.lists, {
      bookings: { added: 1, changed: 0, removed: 2, changes: '/api/v2/bookings/changes' },
    })
    assert.deepEqual(await store.dataChanges.after('C2', 0, 10), [])
    await second.stop()
  })

  it('are recorded by one of two nodes', async (test) => {
    const from = await pair.here.dataChanges.newestSequence()
    const nodes = [follow(test, pair.here, 'S5'), follow(test, pair.elsewhere, 'S5')]
    while ((await pair.here.dataChanges.recordedUpTo()) !== 'S5') await new Promise(setImmediate)
    await Promise.all(nodes.map(({ stop }) => stop()))
    assert.equal(await pair.here.dataChanges.newestSequence(), from + 1)
  })

  it('are recorded later when they cannot be found at first, which is reported once', async (test) => {
    const fails = { now: true }
    const node = follow(test, pair.here, 'S6', fails)
    await node.until('changes-not-recorded')
    while (node.asked.length < 4) await new Promise(setImmediate)
    assert.equal(await pair.here.dataChanges.recordedUpTo(), 'S5')
    fails.now = false
    await node.until('changes-recorded')
    assert.equal(node.observed.filter(({ kind }) => kind === 'changes-not-recorded').length, 1)
    assert.equal(await pair.here.dataChanges.recordedUpTo(), 'S6')
  })

  it('of several clients at once make deliveries to the webhooks of each, with its own counts', async () => {
    const { accounts, webhooks, dataChanges } = pair.here
    const register = async (clientNumber: string) => {
      const { account } = await accounts.create({ name: clientNumber, clientNumber }, 'test')
      const { webhook } = await webhooks.create(account, { url: 'https://hooks.example.com/' }, 'test')
      return webhook.id
    }
    // The last ones look like the first.
    const clients = ['W1', 'W2', 'W3', 'w1', '\ufeffW1', 'W1 ', 'W10', 'W']
    const ids = await Promise.all(clients.map(register))
    const from = await dataChanges.recordedUpTo()
    const changes = clients.slice(0, 2).map((clientNumber, at) => ({
      clientNumber,
      snapshotId: 'SW',
      lists: { invoices: { added: at + 1, changed: 0, removed: 0, changes: '/api/v2/invoices/changes' } },
    }))
    assert.equal(await dataChanges.record({ from, to: 'SW' }, changes), true)
    const told = await Promise.all(
      ids.map(async (id) => (await webhooks.deliveries(id)).map(({ message }) => message.data)),
    )
    assert.deepEqual(told, [[changes[0]], [changes[1]], ...clients.slice(2).map(() => [])])
  })

  it('of many clients are counted for each of them', async () => {
    const { dataChanges } = pair.here
    const from = await dataChanges.newestSequence()
    const changes = Array.from({ length: 1100 }, (_, i) => ({
      clientNumber: `M${i}`,
      snapshotId: 'S7',
      lists: {},
    }))
    assert.equal(await dataChanges.record({ from: 'SW', to: 'S7' }, changes), true)
    assert.equal(await dataChanges.newestSequence(), from + changes.length)
    assert.equal(await dataChanges.record({ from: 'S7', to: 'S8' }, changes.slice(0, 500)), true)
    for (const i of [0, 499, 500, 1099]) {
      const found = await dataChanges.after(`M${i}`, 0, 10)
      assert.deepEqual(
        found.map(({ sequence }) => sequence),
        i < 500 ? [1, 2] : [1],
      )
    }
  })
})
