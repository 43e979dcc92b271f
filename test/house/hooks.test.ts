/** Hooks for each test stand inside a `describe`: outside of one, they run for each test of all files that share the process. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { filesOfProject } from './project-files.ts'

const root = join(import.meta.dirname, '../..')
const files = [...(await filesOfProject())].filter((file) => file.endsWith('.test.ts'))

describe('a test file', () => {
  it('has its hooks for each test inside of a `describe`', async () => {
    const texts = await Promise.all(files.map((file) => readFile(join(root, file), 'utf8')))
    assert.deepEqual(
      files.filter((_, index) => /^(?:beforeEach|afterEach)\(/m.test(texts[index] ?? '')),
      [],
    )
  })
})
