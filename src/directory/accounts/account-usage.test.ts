import assert from 'node:assert/strict'
import { after, describe, it, type TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { openStorePair } from '../testing/store-pair.ts'
import { askControlStore, itOnFiles, openControlStore } from '../testing/stores.ts'

const BY = 'operator:test'
const { folder, here, elsewhere, close } = await openStorePair()
after(close)

const issue = async () => (await here.accounts.create({ name: 'Export', clientNumber: 'C1' }, BY)).account.id

/** Notes the answers in a store of its own, which writes them when it closes. */
async function written(note: (store: typeof here) => void): Promise<void> {
  const store = await openControlStore(folder)
  note(store)
  await store.close()
}

const on = (t: TestContext, now: string) => t.mock.timers.enable({ apis: ['Date'], now: Date.parse(now) })

describe('the usage of accounts', () => {
  it('adds up what several threads count, and has the last address', async () => {
    const [one, other] = [await issue(), await issue()]
    for (const address of ['192.0.2.1', '192.0.2.2']) {
      await written(({ accounts }) => {
        accounts.noteAnswer(one, 100, address)
        accounts.noteAnswer(one, 20, undefined)
        accounts.noteAnswer(other, 3, undefined)
      })
    }
    const day = new Date().toISOString().slice(0, 10)
    assert.deepEqual(await elsewhere.accounts.usage(one, {}), [
      { day, requests: 4, bytes: 240, lastAddress: '192.0.2.2' },
    ])
    assert.deepEqual(await elsewhere.accounts.usage(other, {}), [
      { day, requests: 2, bytes: 6, lastAddress: null },
    ])
  })

  it('is kept per day, and read from one day to before another', async (t) => {
    const id = await issue()
    on(t, '2031-03-01T23:59:59Z')
    const store = await openControlStore(folder)
    store.accounts.noteAnswer(id, 1, 'a')
    t.mock.timers.setTime(Date.parse('2031-03-02T00:00:00Z'))
    store.accounts.noteAnswer(id, 2, 'b')
    t.mock.timers.setTime(Date.parse('2031-03-03T00:00:00Z'))
    store.accounts.noteAnswer(id, 4, 'c')
    await store.close()
    const bytes = async (days: object) => (await here.accounts.usage(id, days)).map((each) => each.bytes)
    assert.deepEqual(await bytes({}), [1, 2, 4])
    assert.deepEqual(await bytes({ from: '2031-03-02' }), [2, 4])
    assert.deepEqual(await bytes({ from: '2031-03-01', to: '2031-03-03' }), [1, 2])
  })

  // A connection to PostgreSQL has timers of its own, which the clock of this test would let run out.
  itOnFiles('loses nothing when the store cannot be written at midnight', async (t) => {
    const id = await issue()
    t.mock.timers.enable({ apis: ['Date', 'setTimeout'], now: Date.parse('2033-03-01T23:58:30Z') })
    const store = await openControlStore(folder)
    store.accounts.noteAnswer(id, 1, 'a')
    await askControlStore(folder, 'alter table account_usage rename to account_usage_away')
    // The count of before is on its way to the store, and comes back.
    t.mock.timers.tick(60_000)
    store.accounts.noteAnswer(id, 2, 'a')
    t.mock.timers.setTime(Date.parse('2033-03-02T00:00:00Z'))
    store.accounts.noteAnswer(id, 4, 'a')
    for (let turn = 0; turn < 50; turn++) await setImmediate()
    await askControlStore(folder, 'alter table account_usage_away rename to account_usage')
    await store.close()
    const found = await here.accounts.usage(id, {})
    assert.deepEqual(
      found.map(({ day, requests, bytes }) => [day, requests, bytes]),
      [
        ['2033-03-01', 2, 3],
        ['2033-03-02', 1, 4],
      ],
    )
  })

  it('is added up for each account, over some days', async () => {
    const [busy, quiet] = [await issue(), await issue()]
    for (const [id, day, requests, bytes] of [
      [busy, '2035-03-01', 2, 20],
      [quiet, '2035-03-01', 1, 10],
      [busy, '2035-03-02', 1, 5],
    ] as const) {
      const columns = 'account_id, day, requests, bytes, last_address'
      const row = `insert into account_usage (${columns}) values (?, ?, ?, ?, null)`
      await askControlStore(folder, row, [id, day, requests, bytes])
    }
    const totals = async (from: string, to?: string) => {
      const found = await here.accounts.usageTotals({ from, to })
      return found.toSorted((a, b) => b.requests - a.requests)
    }
    const both = [
      { accountId: busy, requests: 3, bytes: 25, lastDay: '2035-03-02' },
      { accountId: quiet, requests: 1, bytes: 10, lastDay: '2035-03-01' },
    ]
    assert.deepEqual(await totals('2035-03-01', '2035-03-03'), both)
    assert.deepEqual(await totals('2035-03-01', '2035-03-02'), [
      { accountId: busy, requests: 2, bytes: 20, lastDay: '2035-03-01' },
      both[1],
    ])
    assert.deepEqual(await totals('2035-03-02', '2035-03-03'), [
      { accountId: busy, requests: 1, bytes: 5, lastDay: '2035-03-02' },
    ])
  })

  it('is removed after 400 days, and with its account', async (t) => {
    const [kept, removed] = [await issue(), await issue()]
    on(t, '2040-01-01T00:00:00Z')
    await written(({ accounts }) => [kept, removed].forEach((id) => void accounts.noteAnswer(id, 1, 'a')))
    await here.accounts.remove(removed, BY)
    t.mock.timers.setTime(Date.parse('2041-02-04T00:00:00Z'))
    await written(({ accounts }) => accounts.noteAnswer(removed, 1, 'a'))
    assert.equal((await here.accounts.usage(kept, {})).length, 1)
    t.mock.timers.setTime(Date.parse('2041-02-05T00:00:00Z'))
    await written(({ accounts }) => accounts.noteAnswer(removed, 1, 'a'))
    assert.deepEqual(await askControlStore(folder, 'select * from account_usage'), [])
  })
})
