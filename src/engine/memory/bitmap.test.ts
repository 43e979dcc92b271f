import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  addRows,
  addRun,
  BitmapPool,
  complement,
  countRows,
  hasRow,
  intersect,
  keepRows,
  listRows,
  narrowed,
  unite,
  wholeWindow,
  wordsFor,
} from './bitmap.ts'

const count = fc.integer({ min: 0, max: 200 })
const rowSets = count.chain((most) =>
  fc.record({
    count: fc.constant(most),
    a: fc.uniqueArray(fc.nat(Math.max(0, most - 1)), { maxLength: most }),
    b: fc.uniqueArray(fc.nat(Math.max(0, most - 1)), { maxLength: most }),
  }),
)

function bitsOf(rows: readonly number[], of: number): Uint32Array {
  const bits = new Uint32Array(wordsFor(of))
  addRows(bits, Int32Array.from(rows), 0, rows.length)
  return bits
}

function rowsOf(bits: Uint32Array, of: number): readonly number[] {
  const ids = new Int32Array(countRows(bits, wholeWindow(of)))
  listRows(bits, wholeWindow(of), ids)
  return [...ids]
}

const ascending = (rows: Iterable<number>): number[] => [...rows].sort((a, b) => a - b)

describe('bitmaps', () => {
  it('hold exactly the rows that were added', () => {
    fc.assert(
      fc.property(rowSets, ({ count: of, a }) => {
        const bits = bitsOf(a, of)
        assert.deepEqual(rowsOf(bits, of), ascending(a))
        for (let row = 0; row < of; row++) assert.equal(hasRow(bits, row), a.includes(row))
      }),
    )
  })

  it('intersect, unite and complement as sets do', () => {
    fc.assert(
      fc.property(rowSets, ({ count: of, a, b }) => {
        const window = wholeWindow(of)
        const both = bitsOf(a, of)
        intersect(both, bitsOf(b, of), window)
        assert.deepEqual(
          rowsOf(both, of),
          ascending(a).filter((row) => b.includes(row)),
        )
        const either = bitsOf(a, of)
        unite(either, bitsOf(b, of), window)
        assert.deepEqual(rowsOf(either, of), ascending(new Set([...a, ...b])))
        const others = bitsOf(a, of)
        complement(others, of, window)
        assert.deepEqual(
          rowsOf(others, of),
          Array.from({ length: of }, (_, row) => row).filter((row) => !a.includes(row)),
        )
      }),
    )
  })

  it('are the same whether a run is added at once or row by row', () => {
    fc.assert(
      fc.property(count, fc.nat(200), fc.nat(200), (of, x, y) => {
        const [from, to] = [Math.min(x, y, of), Math.min(Math.max(x, y), of)]
        const bits = new Uint32Array(wordsFor(of))
        addRun(bits, from, to)
        assert.deepEqual(
          rowsOf(bits, of),
          Array.from({ length: to - from }, (_, i) => from + i),
        )
      }),
    )
  })

  it('keep the rows that pass a test', () => {
    fc.assert(
      fc.property(rowSets, ({ count: of, a }) => {
        const bits = bitsOf(a, of)
        keepRows(bits, wholeWindow(of), (row) => row % 3 === 0)
        assert.deepEqual(
          rowsOf(bits, of),
          ascending(a).filter((row) => row % 3 === 0),
        )
      }),
    )
  })

  it('narrow to the smallest window that holds every row', () => {
    fc.assert(
      fc.property(rowSets, ({ count: of, a }) => {
        const bits = bitsOf(a, of)
        const window = narrowed(bits, wholeWindow(of))
        assert.equal(countRows(bits, window), a.length)
        assert.equal(window.from < window.to, a.length > 0)
        if (a.length > 0) assert.ok(bits[window.from] !== 0 && bits[window.to - 1] !== 0)
      }),
    )
  })

  it('list no more rows than requested', () => {
    const ids = new Int32Array(2)
    assert.equal(listRows(bitsOf([70, 3, 40], 80), wholeWindow(80), ids), 2)
    assert.deepEqual([...ids], [3, 40])
  })

  it('are reused by their pool', () => {
    const pool = new BitmapPool(40)
    const bits = pool.take()
    assert.equal(bits.length, 2)
    pool.give(bits)
    assert.equal(pool.take(), bits)
    assert.notEqual(pool.take(), bits)
  })
})
