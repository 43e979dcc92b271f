import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { tryAdvisoryLock } from './advisory-locks.ts'
import { ask, testDatabase } from './testing/postgres-server.ts'

describe('an advisory lock', () => {
  it('has one holder at a time, and each name is a lock of its own', async (test) => {
    const database = await testDatabase(test)
    const first = await tryAdvisoryLock(database.url, 'refresh')
    assert.notEqual(first, null)
    assert.equal(await tryAdvisoryLock(database.url, 'refresh'), null)
    const other = await tryAdvisoryLock(database.url, 'scheduled-work')
    assert.notEqual(other, null)
    await first?.release()
    const second = await tryAdvisoryLock(database.url, 'refresh')
    assert.notEqual(second, null)
    await second?.release()
    await other?.release()
  })

  it('tells its holder when its connection breaks', async (test) => {
    const database = await testDatabase(test)
    const lock = await tryAdvisoryLock(database.url, 'refresh')
    assert.ok(lock)
    assert.equal(lock.lost.aborted, false)
    const lost = once(lock.lost, 'abort')
    const locked = "select pid from pg_locks where locktype = 'advisory'"
    await ask(database.url, `select pg_terminate_backend(pid) from (${locked}) as holders`)
    await lost
    const next = await tryAdvisoryLock(database.url, 'refresh')
    assert.notEqual(next, null)
    await next?.release()
  })
})
