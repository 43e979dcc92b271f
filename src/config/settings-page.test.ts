import { join } from 'node:path'
import { describe, it } from 'node:test'
import { settingsPage } from './settings-page.ts'

describe('docs/reference/settings.md', () => {
  it('is what the settings table says', (t) => {
    const page = join(import.meta.dirname, '../../docs/reference/settings.md')
    t.assert.fileSnapshot(settingsPage(), page, { serializers: [(text) => text] })
  })
})
