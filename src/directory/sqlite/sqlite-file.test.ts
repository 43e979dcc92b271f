import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Problem } from '../../kernel/problem.ts'
import { connect, prepareFile, storeProblem, whenFree } from './sqlite-file.ts'

let folder: string
let path: string
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'tripfolio-sqlite-'))
  path = join(folder, 'test.db')
})
after(() => rmSync(folder, { recursive: true }))

describe('connect', () => {
  it('opens a file that survives a crash of the process and, when asked, of the machine', async () => {
    for (const [durability, synchronous] of [
      ['full', 2],
      ['normal', 1],
    ] as const) {
      const database = await connect(path, { durability, lockTimeoutMs: 0 })
      const pragma = (name: string) => Object.values(database.prepare(`pragma ${name}`).get() ?? {})[0]
      assert.equal(pragma('journal_mode'), 'wal')
      assert.equal(pragma('synchronous'), synchronous)
      assert.equal(pragma('foreign_keys'), 1)
      database.close()
    }
  })

  it('waits until it can read what it cannot write, when another connection holds the lock', async () => {
    const busy = Object.assign(new Error('database is locked'), { errcode: 5 })
    const answers = [busy, busy, new DatabaseSync(':memory:')]
    const openToRead = () => {
      const answer = answers.shift()
      if (answer instanceof DatabaseSync) return answer
      throw answer
    }
    const inNoFolder = join(folder, 'missing', 'test.db')
    const database = await connect(inNoFolder, { durability: 'full', lockTimeoutMs: 0 }, openToRead)
    assert.deepEqual({ ...database.prepare('select 1 as one').get() }, { one: 1 })
    assert.equal(answers.length, 0)
    database.close()
  })
})

describe('whenFree', () => {
  it('does not block the thread while another connection holds the lock, then does the work once', async () => {
    const holder = await connect(path, { durability: 'full', lockTimeoutMs: 0 })
    const waiting = await connect(path, { durability: 'full', lockTimeoutMs: 0 })
    holder.exec('create table if not exists visits (n); begin immediate')
    let done = false
    const work = whenFree(path, () => waiting.exec('insert into visits values (1)')).then(() => {
      done = true
    })
    for (let turn = 0; turn < 100; turn++) await nextTurn()
    assert.equal(done, false)
    holder.exec('commit')
    await work
    assert.equal(holder.prepare('select count(*) n from visits').get()?.n, 1)
    holder.close()
    waiting.close()
  })

  it('gives up with a problem when the lock is never released', async () => {
    const holder = await connect(path, { durability: 'full', lockTimeoutMs: 0 })
    const waiting = await connect(path, { durability: 'full', lockTimeoutMs: 0 })
    holder.exec('begin immediate')
    await assert.rejects(
      whenFree(path, () => waiting.exec('begin immediate'), 10),
      (error: Problem) => error.code === 'DIR104',
    )
    holder.close()
    waiting.close()
  })

  it('throws other errors than locks at once', async () => {
    const defect = new TypeError('a defect')
    const failing = whenFree(path, () => {
      throw defect
    })
    await assert.rejects(failing, (error) => error === defect)
  })
})

describe('prepareFile', () => {
  it('names the folder that cannot be written, with the reason of the system', () => {
    const refusal = {
      code: 'DIR109',
      message: /^Cannot make \/sys\/none\/test\.db: .*\((EPERM|EACCES|EROFS)\)$/,
    }
    assert.throws(() => prepareFile('/sys/none/test.db', { create: true }), refusal)
  })
})

describe('storeProblem', () => {
  it('distinguishes a store that cannot be written from a defect in a statement', () => {
    const database = new DatabaseSync(path, { readOnly: true })
    const errorOf = (sql: string) => {
      try {
        database.exec(sql)
      } catch (error) {
        return storeProblem(path, error)
      }
    }
    const readOnly = errorOf('create table other (n)')
    assert.ok(readOnly instanceof Problem && readOnly.code === 'DIR108')
    assert.ok(!(errorOf('no statement') instanceof Problem))
    database.close()
  })

  it('recognises a disk that reports an error during a read', () => {
    const cause = Object.assign(new Error('disk I/O error'), { code: 'ERR_SQLITE_ERROR', errcode: 266 })
    const problem = storeProblem(path, cause)
    assert.ok(problem instanceof Problem && problem.code === 'DIR105')
    assert.equal(problem.cause, cause)
  })
})
