import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { after, describe, it, type TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { controlStorePath } from '../open-stores.ts'
import { openControlDatabase } from '../sqlite/open-control-database.ts'
import { openStorePair } from '../testing/store-pair.ts'
import { itOnFiles, openControlStore } from '../testing/stores.ts'
import { createAccountUses } from './account-uses.ts'

const BY = 'operator:test'
const MINUTE = 60_000
const { folder, here, elsewhere, close } = await openStorePair()
after(close)

const issue = async () => {
  const { account } = await here.accounts.create({ name: 'Export', clientNumber: 'C1' }, BY)
  return { id: account.id }
}
const lastUse = async (id: string) => (await elsewhere.accounts.find(id)).lastUsedAt

const startClock = (t: TestContext, now: string) =>
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: Date.parse(now) })

/** Only for files: connections need the real clock. Moves the clock, and waits until the write that it starts is done: without a lock, before the next turn. */
async function pass(t: TestContext, milliseconds: number): Promise<void> {
  t.mock.timers.tick(milliseconds)
  await setImmediate()
}

describe('noteUse', () => {
  itOnFiles('writes the latest use of an account once a minute', async (t) => {
    const { id } = await issue()
    startClock(t, '2030-01-01T00:00:00Z')
    here.accounts.noteUse(id)
    await pass(t, MINUTE - 1)
    here.accounts.noteUse(id)
    assert.equal(await lastUse(id), null)
    await pass(t, 1)
    assert.equal(await lastUse(id), '2030-01-01T00:00:59.999Z')
    await pass(t, MINUTE)
    here.accounts.noteUse(id)
    assert.equal(await lastUse(id), '2030-01-01T00:00:59.999Z')
    await pass(t, MINUTE)
    assert.equal(await lastUse(id), '2030-01-01T00:02:00.000Z')
  })

  itOnFiles('keeps a use until a lock is gone', async (t) => {
    const { id } = await issue()
    const other = new DatabaseSync(controlStorePath(folder))
    startClock(t, '2031-01-01T00:00:00Z')
    here.accounts.noteUse(id)
    other.exec('begin immediate')
    await pass(t, MINUTE)
    assert.equal(await lastUse(id), null)
    other.exec('rollback')
    other.close()
    while ((await lastUse(id)) === null) await setImmediate()
    assert.equal(await lastUse(id), '2031-01-01T00:00:00.000Z')
  })

  itOnFiles('keeps a use that cannot be written now for the next attempt, a second later', async (t) => {
    const { id } = await issue()
    const path = controlStorePath(folder)
    const { relaxed, close } = await openControlDatabase(path, { create: false, freshness: 'call' })
    let attempts = 0
    const uses = createAccountUses({
      ...relaxed,
      runEach: async (...statement) => {
        if (++attempts === 1) throw new Error('the disk is full')
        return relaxed.runEach(...statement)
      },
    })
    startClock(t, '2034-01-01T00:00:00Z')
    uses.noteUse(id)
    await pass(t, MINUTE)
    assert.deepEqual([attempts, await lastUse(id)], [1, null])
    await pass(t, 1000)
    assert.deepEqual([attempts, await lastUse(id)], [2, '2034-01-01T00:00:00.000Z'])
    await close()
  })

  itOnFiles('never replaces a use by an earlier one of another thread', async (t) => {
    const { id } = await issue()
    startClock(t, '2032-01-01T00:00:00Z')
    elsewhere.accounts.noteUse(id)
    await pass(t, 10)
    here.accounts.noteUse(id)
    await pass(t, MINUTE)
    assert.equal(await lastUse(id), '2032-01-01T00:00:00.010Z')
  })

  itOnFiles('writes the uses of many accounts, batch after batch', async (t) => {
    const ids: string[] = []
    for (let i = 0; i < 450; i++) ids.push((await issue()).id)
    startClock(t, '2033-01-01T00:00:00Z')
    for (const id of ids) here.accounts.noteUse(id)
    const written = async () =>
      (await elsewhere.accounts.list()).filter(({ lastUsedAt }) => lastUsedAt?.startsWith('2033')).length
    await pass(t, MINUTE)
    assert.equal(await written(), 200)
    await pass(t, 20)
    assert.equal(await written(), 400)
    await pass(t, 20)
    assert.equal(await written(), 450)
  })

  it('writes everything when the store is closed', async () => {
    const { id } = await issue()
    const closing = await openControlStore(folder)
    closing.accounts.noteUse(id)
    await closing.close()
    assert.match((await lastUse(id)) ?? '', /^\d{4}-/)
  })
})
