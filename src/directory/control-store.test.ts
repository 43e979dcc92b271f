import assert from 'node:assert/strict'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { Problem } from '../kernel/problem.ts'
import { controlStorePath, openControlStore } from './control-store.ts'

let root: string
let folders = 0
before(() => {
  root = mkdtempSync(join(tmpdir(), 'tripfolio-store-'))
})
after(() => rmSync(root, { recursive: true }))

const freshFolder = () => join(root, String(++folders))

async function openedOnce(): Promise<string> {
  const path = controlStorePath(freshFolder())
  const store = await openControlStore(path)
  await store.accounts.create({ name: 'Export', clientNumber: 'C1' }, 'operator:test')
  await store.close()
  return path
}

const change = (path: string, sql: string) => {
  const database = new DatabaseSync(path)
  database.exec(sql)
  database.close()
}

const refused = (code: string, hint: RegExp) => (error: unknown) => {
  assert.ok(error instanceof Problem)
  assert.equal(error.code, code)
  assert.match(error.hint ?? '', hint)
  return true
}

describe('openControlStore', () => {
  it('makes the folder and the tables on the first open and finds everything again on the next', async () => {
    const path = await openedOnce()
    const again = await openControlStore(path)
    const accounts = await again.accounts.list()
    assert.deepEqual(
      accounts.map(({ name }) => name),
      ['Export'],
    )
    await again.close()
  })

  it('leaves nothing but its one file behind when it is closed', async () => {
    assert.deepEqual(readdirSync(join(await openedOnce(), '..')), ['control.db'])
  })

  it('keeps every file of the store to its owner', async () => {
    const path = controlStorePath(freshFolder())
    const store = await openControlStore(path)
    await store.accounts.create({ name: 'Export', clientNumber: 'C1' }, 'operator:test')
    for (const file of [path, `${path}-wal`, `${path}-shm`]) {
      assert.equal(statSync(file).mode & 0o777, 0o600, file)
    }
    await store.close()
  })

  it('takes the rights of others off a store that was copied carelessly', async () => {
    const path = await openedOnce()
    chmodSync(path, 0o644)
    await (await openControlStore(path)).close()
    assert.equal(statSync(path).mode & 0o777, 0o600)
  })

  it('is opened by many at once while it does not exist yet, and all see one store', async () => {
    const path = controlStorePath(freshFolder())
    const stores = await Promise.all(Array.from({ length: 8 }, () => openControlStore(path)))
    await Promise.all(
      stores.map(({ accounts }, i) =>
        accounts.create({ name: `A${i}`, clientNumber: 'C1' }, 'operator:test'),
      ),
    )
    for (const { accounts } of stores) assert.equal((await accounts.list()).length, 8)
    await Promise.all(stores.map((store) => store.close()))
  })

  it('refuses a store that is not there when told not to create one', async () => {
    const folder = freshFolder()
    await assert.rejects(
      openControlStore(controlStorePath(folder), { create: false }),
      refused('DIR106', /--data/),
    )
    assert.ok(!existsSync(folder))
  })

  it('refuses a data folder that is a file', async () => {
    const file = freshFolder()
    writeFileSync(file, '')
    await assert.rejects(openControlStore(controlStorePath(file)), refused('DIR101', /may write/))
  })

  it('refuses a folder in the place of the file', async () => {
    const path = controlStorePath(freshFolder())
    mkdirSync(path, { recursive: true })
    await assert.rejects(openControlStore(path), refused('DIR101', /may write/))
  })

  it('refuses a file that is no database and leaves it as it is', async () => {
    const path = controlStorePath(freshFolder())
    mkdirSync(join(path, '..'))
    writeFileSync(path, 'no database, only text '.repeat(100))
    await assert.rejects(openControlStore(path), refused('DIR102', /restore a backup/))
    assert.equal(statSync(path).size, 2300)
  })

  it('refuses a store that a newer version has changed', async () => {
    const path = await openedOnce()
    change(path, "insert into kysely_migration values ('9999-later', '2999-01-01T00:00:00.000Z')")
    await assert.rejects(openControlStore(path), refused('DIR103', /newer version/))
  })

  it('refuses a database of something else whose tables are in the way, and leaves its tables as they are', async () => {
    const path = controlStorePath(freshFolder())
    mkdirSync(join(path, '..'))
    change(path, 'create table audit (text)')
    await assert.rejects(openControlStore(path), refused('DIR107', /unchanged/))
    const database = new DatabaseSync(path)
    const tables = database
      .prepare("select name from sqlite_schema where name in ('accounts', 'audit')")
      .all()
    assert.deepEqual(
      tables.map(({ name }) => name),
      ['audit'],
    )
    database.close()
  })
})
