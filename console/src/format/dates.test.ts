import assert from 'node:assert/strict'
import { it } from 'node:test'
import { formatRecent } from './dates.ts'

const now = new Date(2026, 10, 23, 9, 30)

for (const [what, then, has, lacks] of [
  ['a moment of today without its day', new Date(2026, 10, 23, 0, 0), /\d\d/, /23|2026/],
  ['a moment of this year without its year', new Date(2026, 10, 22, 23, 59), /22.*59|59.*22/, /2026/],
  ['a moment of another year in full', new Date(2025, 10, 23, 9, 30), /2025/, /2026/],
] as const) {
  it(`gives ${what}`, () => {
    const text = formatRecent(then.toISOString(), now.getTime())
    assert.match(text, has)
    assert.doesNotMatch(text, lacks)
  })
}

it('gives a text that is no date as it is', () => assert.equal(formatRecent('soon'), 'soon'))
