import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readSort, writeSort } from '../query/list-query.ts'
import { sortedBy } from './sorting.ts'

describe('sortedBy', () => {
  const rows = [
    ['a', 'b', false, 'b'],
    ['b', 'b', false, 'b desc'],
    ['b desc', 'b', false, ''],
    ['a,b', 'b', false, 'b desc'],
    ['a', 'b', true, 'a,b'],
    ['a,b', 'b', true, 'a,b desc'],
    ['a,b desc,c', 'b', true, 'a,c'],
    ['a desc,b', 'a', true, 'b'],
  ] as const
  for (const [before, path, isAdded, after] of rows) {
    it(`makes '${after}' of '${before}' by ${isAdded ? 'Shift and ' : ''}a click on ${path}`, () => {
      assert.equal(writeSort(sortedBy(readSort(before), path, isAdded)), after)
    })
  }
})
