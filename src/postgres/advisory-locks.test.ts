import assert from 'node:assert/strict'
import { once } from 'node:events'
import { hostname } from 'node:os'
import { describe, it } from 'node:test'
import { Problem } from '../kernel/problem.ts'
import { lockHolder, tryAdvisoryLock } from './advisory-locks.ts'
import { endLockHolders, testDatabase } from './testing/postgres-server.ts'
import { openTcpProxy } from './testing/tcp-proxy.ts'

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
    await endLockHolders(database.url)
    await lost
    const next = await tryAdvisoryLock(database.url, 'refresh')
    assert.notEqual(next, null)
    await next?.release()
  })

  it('names its holder', async (test) => {
    const database = await testDatabase(test)
    assert.equal(await lockHolder(database.url, 'refresh'), undefined)
    const lock = await tryAdvisoryLock(database.url, 'refresh')
    const scheduled = await tryAdvisoryLock(database.url, 'scheduled-work')
    assert.equal(await lockHolder(database.url, 'refresh'), `${hostname().slice(0, 25)}:${process.pid}`)
    await lock?.release()
    assert.equal(await lockHolder(database.url, 'refresh'), undefined)
    await scheduled?.release()
  })

  it('is given up when the server no longer answers, and its holder is told why', async (test) => {
    const database = await testDatabase(test)
    const proxy = await openTcpProxy(database.url, test)
    const lock = await tryAdvisoryLock(proxy.url, 'refresh')
    assert.ok(lock)
    const lost = once(lock.lost, 'abort')
    proxy.hang()
    await lost
    const { reason } = lock.lost
    assert.ok(reason instanceof Problem && reason.code === 'PGS101')
    assert.match(reason.message, /did not answer within 2000 ms/)
    await lock.release()
    await assert.rejects(tryAdvisoryLock(proxy.url, 'refresh'), { code: 'PGS101' })
  })
})
