import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { chooseMoves, type LiveRows, MOST_GENERATIONS } from './compaction.ts'

const live = (clientNumber: string, generation: number, rows: number): LiveRows => ({
  clientNumber,
  stored: 'bookings',
  generation,
  rows,
})

const namesOf = (moves: readonly LiveRows[]) => moves.map(({ clientNumber }) => clientNumber)

describe('the choice of rows that move to the newest generation', () => {
  it('takes those of generations of which less than half is live', () => {
    const rows = [live('A', 1, 49), live('B', 2, 50)]
    const totals = new Map([1, 2].map((generation) => [generation, 100]))
    assert.deepEqual(namesOf(chooseMoves(rows, totals, 10)), ['A'])
  })

  it('takes the smallest generations where there are too many', () => {
    const rows = Array.from({ length: MOST_GENERATIONS + 2 }, (_, n) => live(`${n}`, n, 100 - n))
    const totals = new Map(rows.map(({ generation, rows }) => [generation, rows]))
    assert.deepEqual(namesOf(chooseMoves(rows, totals, 10)).sort(), [
      `${MOST_GENERATIONS}`,
      `${MOST_GENERATIONS + 1}`,
    ])
  })

  it('moves at most twice as many rows as were written, unless they are few', () => {
    const clients = fc.array(
      fc.record({ generation: fc.integer({ min: 1, max: 20 }), rows: fc.integer({ min: 1, max: 50_000 }) }),
    )
    fc.assert(
      fc.property(clients, fc.nat(100_000), fc.nat(400_000), (placed, written, total) => {
        const rows = placed.map((one, n) => live(`${n}`, one.generation, one.rows))
        const totals = new Map(rows.map(({ generation }) => [generation, total]))
        const moves = chooseMoves(rows, totals, written)
        assert.equal(new Set(moves).size, moves.length)
        const moved = moves.reduce((sum, { rows }) => sum + rows, 0)
        assert.ok(moved <= Math.max(2 * written, 10_000))
      }),
    )
  })

  it('empties a generation over several refreshes', () => {
    let rows = Array.from({ length: 40 }, (_, n) => live(`${n}`, 1, 10_000))
    const totals = new Map([[1, 1_000_000]])
    let refreshes = 0
    for (; rows.length > 0; refreshes++) {
      const moved = new Set(chooseMoves(rows, totals, 20_000))
      rows = rows.filter((row) => !moved.has(row))
    }
    assert.equal(refreshes, 10)
  })
})
