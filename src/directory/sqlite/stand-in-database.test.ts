import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { openDataVersion } from './data-version.ts'
import { openAsItIs } from './open-sqlite.ts'
import { StandInDatabase } from './stand-in-database.ts'

let folder: string
let path: string

function prepareEachTest(): void {
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tripfolio-stand-in-'))
    path = join(folder, 'test.db')
    change("create table keys (name text); insert into keys values ('a')")
  })
  afterEach(() => rmSync(folder, { recursive: true }))
}

function change(sql: string): void {
  const database = new DatabaseSync(path)
  database.exec(`pragma journal_mode = wal; ${sql}`)
  database.close()
}

const standIn = () =>
  new StandInDatabase({
    path,
    options: { durability: 'full', lockTimeoutMs: 0 },
    cause: new Error('the disk was full'),
    openToRead: openAsItIs,
  })

describe('a connection that replaces one that can write', () => {
  prepareEachTest()

  it('reads the file and refuses changes until it checks the file again', () => {
    const database = standIn()
    const names = database.prepare('select name from keys order by name')
    assert.deepEqual(
      names.all().map(({ name }) => name),
      ['a'],
    )
    assert.throws(() => database.exec("insert into keys values ('b')"), { errcode: 8 })
    database.close()
  })

  it('sees changes of other connections at once, with statements that were prepared before', () => {
    const database = standIn()
    const names = database.prepare('select name from keys order by name')
    const version = openDataVersion(database, 'call')
    const before = version()
    assert.equal(version(), before)
    change("delete from keys; insert into keys values ('b')")
    assert.notEqual(version(), before)
    assert.deepEqual(
      names.all().map(({ name }) => name),
      ['b'],
    )
    database.close()
  })

  it('writes when the file can be written again', () => {
    const database = standIn()
    change("insert into keys values ('b')")
    database.exec("begin immediate; insert into keys values ('c')")
    assert.equal(database.isTransaction, true)
    database.exec('commit')
    database.close()
    const reader = new DatabaseSync(path)
    assert.equal(reader.prepare('select count(*) n from keys').get()?.n, 3)
    reader.close()
  })

  it('reports that the file can be written again, even without any query', (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const told: boolean[] = []
    const database = standIn()
    database.whenWritable(() => told.push(true))
    assert.deepEqual(told, [])
    change("insert into keys values ('b')")
    t.mock.timers.tick(2000)
    assert.deepEqual(told, [true])
    t.mock.timers.tick(10_000)
    assert.deepEqual(told, [true])
    database.exec("insert into keys values ('c')")
    database.close()
  })
})
