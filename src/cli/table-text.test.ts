import assert from 'node:assert/strict'
import { it } from 'node:test'
import { tableText } from './table-text.ts'

it('a table shows control characters of its texts instead of handing them to the terminal', () => {
  const text = tableText([{ name: 'a\x1b[2Jb', notes: ['c\nd', '\x9b'], count: 1 }])
  assert.equal(text, 'name         notes             count\na\\u001b[2Jb  c\\u000ad; \\u009b      1\n')
})
