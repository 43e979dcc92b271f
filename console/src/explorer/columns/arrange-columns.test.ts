import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { moved, offeredPaths, pinned, removed, shownToo } from './arrange-columns.ts'

/** `a b | c` has two pinned columns. */
const read = (text: string) => {
  const [first = '', others = ''] = text.split('|').map((part) => part.trim())
  const words = (part: string) => part.split(' ').filter((word) => word !== '')
  return { columns: [...words(first), ...words(others)], pinnedCount: words(first).length }
}
const write = ({ columns, pinnedCount }: ReturnType<typeof moved>): string =>
  `${columns.slice(0, pinnedCount).join(' ')} | ${columns.slice(pinnedCount).join(' ')}`

describe('arranging columns', () => {
  const rows = [
    ['moves to the right', 'a b | c d', (x: ReturnType<typeof read>) => moved(x, 'c', 1), 'a b | d c'],
    ['moves across the border', 'a b | c d', (x: ReturnType<typeof read>) => moved(x, 'c', -1), 'a c | b d'],
    [
      'does not move beyond the ends',
      'a b | c',
      (x: ReturnType<typeof read>) => moved(x, 'a', -1),
      'a b | c',
    ],
    ['removes a pinned one', 'a b | c', (x: ReturnType<typeof read>) => removed(x, 'a'), 'b | c'],
    ['removes another one', 'a b | c', (x: ReturnType<typeof read>) => removed(x, 'c'), 'a b | '],
    ['pins behind the others', 'a | b c', (x: ReturnType<typeof read>) => pinned(x, 'c', true), 'a c | b'],
    ['unpins', 'a b c | d', (x: ReturnType<typeof read>) => pinned(x, 'a', false), 'b c | a d'],
    ['adds at the end', 'a | b', (x: ReturnType<typeof read>) => shownToo(x, 'c'), 'a | b c'],
    ['adds once', 'a | b', (x: ReturnType<typeof read>) => shownToo(x, 'a'), 'a | b'],
  ] as const
  for (const [title, before, arrange, after] of rows) {
    it(`${title}: ${before} becomes ${after}`, () => assert.equal(write(arrange(read(before))), after))
  }
})

describe('offeredPaths', () => {
  it('has fields, labels, collections and fields of elements', () => {
    const paths = offeredPaths('itineraries', ["Manager's Approval"])
    for (const path of [
      'traveller',
      "customDataFields['Manager''s Approval']",
      'segments',
      'segments.vendor',
    ])
      assert.ok(paths.includes(path), path)
  })
})
