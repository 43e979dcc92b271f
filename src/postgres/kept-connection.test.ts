import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { Problem } from '../kernel/problem.ts'
import { openPool } from './connect.ts'
import { keepConnection } from './kept-connection.ts'
import { testDatabase } from './testing/postgres-server.ts'

const IDLE_MS = 20

/** A pool of one connection, and what keeps it. */
async function keepOne(test: TestContext) {
  const { url } = await testDatabase(test)
  const { pool, hold, close } = openPool({ url, use: 'test', connections: 1 })
  const kept = keepConnection({ hold }, IDLE_MS)
  test.after(async () => {
    kept.close()
    await close()
  })
  const process = () =>
    kept.run(async (connection) => {
      const { rows } = await connection.query<{ pid: number }>('select pg_backend_pid() as pid')
      return rows[0]?.pid
    })
  const released = () => new Promise((resolve) => pool.once('release', resolve))
  return { ...kept, pool, process, released }
}

describe('a connection that is kept', () => {
  it('is the same one for all work, and goes back to the pool when nobody uses it', async (test) => {
    const { pool, process, released } = await keepOne(test)
    const first = await process()
    assert.equal(await process(), first)
    assert.equal(pool.idleCount, 0)
    await released()
    assert.equal(pool.idleCount, 1)
    assert.equal(await process(), first)
  })

  it('stays with its work, however long that takes', async (test) => {
    const { pool, run } = await keepOne(test)
    await run(async (connection) => {
      await connection.query('select pg_sleep($1)', [(IDLE_MS * 3) / 1000])
      assert.equal(pool.idleCount, 0)
    })
  })

  it('is closed when work on it fails, or when it breaks, and another one takes its place', async (test) => {
    const { run, process } = await keepOne(test)
    const first = await process()
    const failing = run((connection) => connection.query('select nothing'))
    await assert.rejects(failing, (error) => error instanceof Problem && error.code === 'PGS105')
    const second = await process()
    assert.notEqual(second, first)
    const [broken] = await run(async (connection) => {
      const end = new Promise((resolve) => connection.once('end', resolve))
      await connection.query('select pg_terminate_backend(pg_backend_pid())').catch(() => undefined)
      return [end]
    })
    await broken
    assert.notEqual(await process(), second)
  })

  it('is given back after its work when it is closed meanwhile', async (test) => {
    const { pool, run, close } = await keepOne(test)
    await run(async (connection) => {
      close()
      await connection.query('select 1')
    })
    assert.equal(pool.idleCount, 1)
  })
})
