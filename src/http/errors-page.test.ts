import { join } from 'node:path'
import { describe, it } from 'node:test'
import { errorsPage } from './errors-page.ts'

describe('docs/reference/errors.md', () => {
  it('agrees with the catalogue of problems', (t) => {
    const page = join(import.meta.dirname, '../../docs/reference/errors.md')
    t.assert.fileSnapshot(errorsPage(), page, { serializers: [(text) => text] })
  })
})
