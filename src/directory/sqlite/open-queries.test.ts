import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { Problem } from '../../kernel/problem.ts'
import { openDataVersion } from './data-version.ts'
import { openQueries } from './open-queries.ts'
import type { Connection } from './open-sqlite.ts'

type Tables = { readonly keys: { readonly name: string; readonly rank: number } }

function openInMemory(): DatabaseSync {
  const database = new DatabaseSync(':memory:')
  database.exec("create table keys (name text primary key, rank integer); insert into keys values ('a', 1)")
  return database
}

/** Behaves like a file whose log another connection repairs after a crash: busy for the first `questions` queries. */
function busyFor(questions: number, database: DatabaseSync): Connection {
  let left = questions
  return {
    exec: (sql) => database.exec(sql),
    close: () => database.close(),
    isOpen: true,
    isTransaction: false,
    prepare: (sql) => {
      const statement = database.prepare(sql)
      const asked = () => {
        if (left-- > 0) throw Object.assign(new Error('database is locked'), { errcode: 5 })
        return statement
      }
      return {
        all: (...values) => asked().all(...values),
        get: (...values) => asked().get(...values),
        run: (...values) => statement.run(...values),
        columns: () => statement.columns(),
      }
    },
  }
}

describe('a prepared query', () => {
  it('answers synchronously, with the values of each call', async () => {
    const { queries, prepare, close } = openQueries<Tables>(openInMemory(), ':memory:')
    const rankOf = prepare(queries.selectFrom('keys').select('rank').where('name', '=', ''))
    assert.deepEqual(
      [rankOf(['a']), rankOf(['b'])].map((rows) => JSON.stringify(rows)),
      ['[{"rank":1}]', '[]'],
    )
    await close()
  })

  it('waits while the file is busy', async () => {
    const { queries, prepare, close } = openQueries<Tables>(busyFor(2, openInMemory()), ':memory:')
    const rows = prepare(queries.selectFrom('keys').select('rank'))([])
    assert.ok(rows instanceof Promise)
    assert.equal((await rows)[0]?.rank, 1)
    await close()
  })
})

describe('the version of a file', () => {
  it('is different in each call while the file is busy', () => {
    const database = openInMemory()
    const version = openDataVersion(busyFor(2, database), 'call')
    const [first, second, third, fourth] = [version(), version(), version(), version()]
    assert.notEqual(first, second)
    assert.notEqual(second, third)
    assert.equal(third, fourth)
    database.close()
  })
})

describe('a statement that is run for each of many rows', () => {
  const insertInto = (queries: ReturnType<typeof openQueries<Tables>>['queries']) =>
    queries
      .insertInto('keys')
      .values({ name: '', rank: 0 })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .compile()

  it('returns how many rows each run changed', async () => {
    const { queries, runEach, close } = openQueries<Tables>(openInMemory(), ':memory:')
    const insert = insertInto(queries)
    const rows = [
      ['a', 9],
      ['b', 2],
      ['b', 3],
    ]
    const counts = await queries.transaction().execute((transaction) => runEach(transaction, insert, rows))
    assert.deepEqual(counts, [0, 1, 0])
    await close()
  })

  it('leaves no row when one run fails, and throws its problem', async () => {
    const database = openInMemory()
    const { queries, runEach, close } = openQueries<Tables>(database, 'keys.db')
    const insert = insertInto(queries)
    database.exec('pragma query_only = on')
    const failing = queries.transaction().execute((transaction) => runEach(transaction, insert, [['b', 2]]))
    await assert.rejects(failing, (error) => error instanceof Problem && error.code === 'DIR108')
    assert.equal((await queries.selectFrom('keys').selectAll().execute()).length, 1)
    await close()
  })
})
