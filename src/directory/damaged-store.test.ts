/** The remains of a store's file are refused with a hint, never taken for a new store, and stay as they are. */
import assert from 'node:assert/strict'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { Problem } from '../kernel/problem.ts'
import { openControlStore } from './open-stores.ts'

let root: string
let whole: string
before(async () => {
  root = mkdtempSync(join(tmpdir(), 'tripfolio-damaged-'))
  whole = join(root, 'control.db')
  const store = await openControlStore(dirname(whole))
  for (let at = 0; at < 50; at++) {
    await store.accounts.create({ name: `Account ${at}`, clientNumber: 'C1' }, 'operator:test')
  }
  await store.close()
})
after(() => rmSync(root, { recursive: true }))

describe('the file of a control store', () => {
  const cases: readonly [damage: string, apply: (path: string) => void][] = [
    ['empty', (path) => truncateSync(path, 0)],
    ['cut off after its first byte', (path) => truncateSync(path, 1)],
    ['cut off in its first page', (path) => truncateSync(path, 1000)],
    ['cut off after its first page', (path) => truncateSync(path, 4096)],
    ['cut off in the middle', (path) => truncateSync(path, readFileSync(path).length >> 1)],
    ['text', (path) => writeFileSync(path, 'account,key\n'.repeat(1000))],
    ['nothing but zeros', (path) => writeFileSync(path, new Uint8Array(8192))],
  ]
  for (const [damage, apply] of cases) {
    it(`that is ${damage} is refused, and stays as it is`, async () => {
      const path = join(root, damage, 'control.db')
      mkdirSync(dirname(path))
      copyFileSync(whole, path)
      apply(path)
      const before = readFileSync(path)
      await assert.rejects(openControlStore(dirname(path)), (error) => {
        assert.ok(error instanceof Problem)
        assert.equal(error.code, 'DIR102')
        assert.match(error.message, /is not a control store, or is damaged/)
        assert.match(
          error.hint ?? '',
          /restore a backup\. Without a backup, the service starts with an empty store/,
        )
        return true
      })
      assert.deepEqual(readFileSync(path), before)
    })
  }

  const additions: readonly [what: string, sql: string][] = [
    [
      "trigger 'again'",
      'create trigger again after delete on accounts begin insert into accounts select * from accounts limit 1; end',
    ],
    ["view 'people'", 'create view people as select * from accounts'],
    ["virtual table 'words'", 'create virtual table words using fts5(word)'],
  ]
  for (const [what, sql] of additions) {
    it(`that somebody has given the ${what} is refused, and stays as it is`, async () => {
      const path = join(root, what.replaceAll(/\W/g, ''), 'control.db')
      mkdirSync(dirname(path))
      copyFileSync(whole, path)
      const database = new DatabaseSync(path)
      database.exec(sql)
      database.close()
      await assert.rejects(openControlStore(dirname(path)), {
        code: 'DIR102',
        message: new RegExp(`it has the ${what}, which no version of Tripfolio makes`),
      })
      const names = new DatabaseSync(path, { readOnly: true }).prepare('select name from sqlite_schema').all()
      assert.ok(names.some(({ name }) => what.includes(`'${name}'`)))
    })
  }

  it('is never seen empty by other processes while it is created', async () => {
    const path = join(root, 'new', 'control.db')
    const stores = await Promise.all(Array.from({ length: 8 }, () => openControlStore(dirname(path))))
    for (const store of stores) await store.close()
    assert.deepEqual(readdirSync(join(root, 'new')), ['control.db'])
  })
})
