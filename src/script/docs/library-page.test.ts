import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { library } from '../stdlib/library.ts'
import { libraryPage } from './library-page.ts'

describe('docs/reference/script-library.md', () => {
  it('matches the definitions', (t) => {
    const page = join(import.meta.dirname, '../../../docs/reference/script-library.md')
    t.assert.fileSnapshot(libraryPage(), page, { serializers: [(text) => text] })
  })

  it('lists every function of the language once', () => {
    const names = library.map(({ name }) => name)
    assert.equal(new Set(names).size, names.length)
    assert.equal(names.length, 99)
  })

  it('has optional parameters behind all others', () => {
    for (const { name, parameters } of library) {
      const kinds = parameters.map(({ optional }) => optional)
      assert.deepEqual(
        kinds,
        kinds.toSorted((a, b) => Number(a) - Number(b)),
        name,
      )
    }
  })
})
