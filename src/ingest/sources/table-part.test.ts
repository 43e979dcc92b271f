import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { rowsWithout } from './table-part.ts'

describe('rowsWithout', () => {
  it('gives the remaining rows their numbers in the file', () => {
    const left = fc.uniqueArray(fc.integer({ min: 1, max: 60 })).map((rows) => rows.sort((a, b) => a - b))
    fc.assert(
      fc.property(left, (rows) => {
        const rest = Array.from({ length: 60 }, (_, at) => at + 1).filter((row) => !rows.includes(row))
        assert.deepEqual(
          rest.map((_, position) => rowsWithout(rows)(position)),
          rest,
        )
      }),
    )
  })
})
