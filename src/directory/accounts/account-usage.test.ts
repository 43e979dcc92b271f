import assert from 'node:assert/strict'
import { after, describe, it, type TestContext } from 'node:test'
import { openStorePair } from '../testing/store-pair.ts'
import { askControlStore, openControlStore } from '../testing/stores.ts'

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
