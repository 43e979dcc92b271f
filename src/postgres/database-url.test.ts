import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { showDatabase } from './database-url.ts'
import { identifier } from './sql-names.ts'

describe('a database is shown without secrets', () => {
  for (const [url, shown] of [
    ['postgres://user:secret@db.example:5433/trips?sslmode=require', 'db.example:5433/trips'],
    ['postgresql:///trips?host=/run/postgresql', '/run/postgresql/trips'],
    ['postgres://u:p@[::1]:5432/t', '[::1]:5432/t'],
    ['mysql://user:secret@host/db', '(not a URL)'],
    ['secret', '(not a URL)'],
  ] as const) {
    it(url, () => assert.equal(showDatabase(url), shown))
  }
})

describe('an identifier', () => {
  it('is quoted', () => assert.equal(identifier('a"; drop table b'), '"a""; drop table b"'))
  for (const name of ['', 'a\0b', 'x'.repeat(64), 'é'.repeat(32)]) {
    it(`refuses ${JSON.stringify(name)}`, () => assert.throws(() => identifier(name), /cannot be a name/))
  }
})
