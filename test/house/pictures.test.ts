/** The pictures of the documents: each is shown by a page, each that a page shows is there, and together they stay small. */
import assert from 'node:assert/strict'
import { readFile, stat } from 'node:fs/promises'
import { dirname, join, normalize } from 'node:path'
import { describe, it } from 'node:test'
import { pictures } from '../browser/pictures.ts'
import { filesOfProject } from './project-files.ts'

const MOST_BYTES = 1_500_000

const root = join(import.meta.dirname, '../..')
const files = await filesOfProject()
const kept = [...files].filter((file) => /^docs\/pictures\/.+\.png$/.test(file)).sort()

describe('the pictures of the documents', () => {
  it('are those that are taken of the web applications', () => {
    const taken = Object.keys(pictures).map((name) => `docs/pictures/${name}.png`)
    assert.deepEqual(kept, taken.toSorted())
  })

  it('are shown by a page, and are there where a page shows one', async () => {
    const shown = new Set<string>()
    const pages = [...files].filter((file) => /^(README|docs\/.+)\.md$/.test(file))
    for (const page of pages) {
      const text = await readFile(join(root, page), 'utf8')
      for (const [, alternative = '', path = ''] of text.matchAll(/!\[([^\]]*)\]\(([^)]+)\)/g)) {
        assert.ok(alternative.length > 20, `${page} says what ${path} shows`)
        shown.add(normalize(join(dirname(page), path)))
      }
    }
    assert.deepEqual([...shown].sort(), kept)
  })

  it(`have less than ${MOST_BYTES} bytes together`, async () => {
    const sizes = await Promise.all(kept.map(async (file) => (await stat(join(root, file))).size))
    const bytes = sizes.reduce((sum, size) => sum + size, 0)
    assert.ok(bytes < MOST_BYTES, `${bytes} bytes`)
  })
})
