import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { rowAfterKey } from './grid-keys.ts'

describe('rowAfterKey', () => {
  const rows = [
    ['ArrowDown', 0, 1],
    ['ArrowDown', 99, 99],
    ['j', 5, 6],
    ['ArrowUp', 0, 0],
    ['k', 5, 4],
    ['PageDown', 0, 20],
    ['PageDown', 95, 99],
    ['PageUp', 30, 10],
    ['PageUp', 5, 0],
    ['Home', 50, 0],
    ['End', 50, 99],
    ['ArrowRight', 50, undefined],
    ['x', 50, undefined],
  ] as const
  for (const [key, row, expected] of rows) {
    it(`leads from ${row} to ${expected} by ${key}`, () =>
      assert.equal(rowAfterKey(key, { row, rowCount: 100, rowsPerPage: 20 }), expected))
  }

  it('stays at the first row of an empty table', () =>
    assert.equal(rowAfterKey('End', { row: 0, rowCount: 0, rowsPerPage: 20 }), 0))
})
