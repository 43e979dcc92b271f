/** The index of the decision records is complete, and every record says when it was made and whether it holds. */
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'

const folder = join(import.meta.dirname, '../../docs/decisions')
const files = (await readdir(folder)).filter((name) => /^\d{4}-.*\.md$/.test(name)).toSorted()
const index = await readFile(join(folder, 'README.md'), 'utf8')

describe('the index of decisions', () => {
  for (const file of files) {
    it(`has the number, title, date, status and sketch of ${file}`, async () => {
      const text = await readFile(join(folder, file), 'utf8')
      const [, number, title] = /^# (\d+)\. (.+)$/m.exec(text) ?? []
      const [, date, status] = /^Date: (\d{4}-\d\d-\d\d)\. Status: ([^.\n]+)\.$/m.exec(text) ?? []
      const sketch = /^## Sketch$/m.test(text) ? 'yes ' : ' '
      assert.ok(index.includes(`| ${number} | [${title}](${file}) | ${date} | ${status} | ${sketch}|`))
    })
  }

  it('has a row for each record and no other', () => {
    assert.equal(index.match(/^\| \d+ \|/gm)?.length, files.length)
  })
})
