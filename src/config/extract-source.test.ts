import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isWarehouse, showSource } from './extract-source.ts'

describe('a source as people see it', () => {
  const shown: readonly (readonly [source: string, shown: string])[] = [
    ['/srv/extracts', '/srv/extracts'],
    ['postgres', 'postgres'],
    ['C:\\extracts', 'C:\\extracts'],
    ['postgres://reader:secret@db:5433/warehouse?sslmode=require', 'postgres://db:5433/warehouse'],
    ['postgresql://reader:secret@[::1]/w', 'postgres://[::1]/w'],
    ['POSTGRES://reader:secret@db/w', 'postgres://db/w'],
    ['postgres:///w?host=/run/postgresql&password=secret', 'postgres:///w'],
    // Special characters that are not encoded move a part of the password to where the host is expected.
    ['postgres://reader:1#secret@db/w', 'postgres://(not a valid URL)'],
    ['postgres://reader:1/secret@db/w', 'postgres://(not a valid URL)'],
    ['postgres://reader:1?secret@db/w', 'postgres://(not a valid URL)'],
    ['postgres://reader:se%zz[cret@db/w', 'postgres://db/w'],
    ['postgres://[', 'postgres://(not a valid URL)'],
  ]
  for (const [source, expected] of shown) {
    it(expected + (isWarehouse(source) ? ' is a warehouse' : ' is a folder'), () => {
      assert.equal(showSource(source), expected)
      assert.doesNotMatch(showSource(source), /secret|reader/)
    })
  }
})
