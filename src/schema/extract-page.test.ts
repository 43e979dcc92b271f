import { join } from 'node:path'
import { describe, it } from 'node:test'
import { extractPage } from './extract-page.ts'

describe('docs/reference/extract-tables.md', () => {
  it('is what the table definitions say', (t) => {
    const page = join(import.meta.dirname, '../../docs/reference/extract-tables.md')
    t.assert.fileSnapshot(extractPage(), page, { serializers: [(text) => text] })
  })
})
