import assert from 'node:assert/strict'
import { link, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { openWorkDatabase } from './work-database.ts'

describe('the work database', () => {
  it('leaves nothing behind when the refresh is stopped while the database is being opened', async (t) => {
    const data = await mkdtemp(join(tmpdir(), 'tripfolio-work-'))
    t.after(() => rm(data, { recursive: true, force: true }))
    const stopped = new Error('stopped')
    await assert.rejects(openWorkDatabase(data, { signal: AbortSignal.abort(stopped) }), stopped)
    assert.deepEqual(await readdir(data), [])
    const database = await openWorkDatabase(data)
    assert.deepEqual(await readdir(data), ['work'])
    await database.close()
    assert.deepEqual(await readdir(data), [])
  })

  it('writes no checkpoint when it is closed, because its file is removed', async (t) => {
    const data = await mkdtemp(join(tmpdir(), 'tripfolio-work-'))
    t.after(() => rm(data, { recursive: true, force: true }))
    const database = await openWorkDatabase(data)
    await database.run('CREATE TABLE numbers AS FROM range(100000)')
    // A second name keeps the file after its folder is gone.
    const kept = join(data, 'kept.duckdb')
    await link(join(database.folder, 'refresh.duckdb'), kept)
    const { size: before } = await stat(kept)
    await database.close()
    assert.equal((await stat(kept)).size, before)
  })

  it('keeps no log of its changes, and shows them to other connections', async (t) => {
    const data = await mkdtemp(join(tmpdir(), 'tripfolio-work-'))
    t.after(() => rm(data, { recursive: true, force: true }))
    const database = await openWorkDatabase(data, { threads: 1 })
    try {
      const changed = await database.run(
        'CREATE TABLE numbers (n INTEGER); INSERT INTO numbers SELECT range FROM range(3)',
      )
      assert.equal(changed, 3)
      const found = []
      for await (const rows of database.eachRows('SELECT n FROM numbers ORDER BY n')) found.push(...rows)
      assert.deepEqual(found, [[0], [1], [2]])
      assert.deepEqual(await readdir(database.folder), ['refresh.duckdb'])
    } finally {
      await database.close()
    }
  })
})
