import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import {
  type Column,
  type DecimalColumn,
  type IntegerColumn,
  NULL_INTEGER,
} from '../../../snapshot/partition.ts'
import { countRows, listRows, wholeWindow, wordsFor } from '../bitmap.ts'
import type { Ranges } from '../ranges.ts'
import { dictionaryOf } from '../testing/partitions.ts'
import type { Work } from '../work.ts'
import {
  type ColumnIndex,
  countScan,
  type IndexableColumn,
  indexOnceWorthwhile,
  registerRowOrder,
} from './column-index.ts'
import { fillSlices, slicesOf } from './slices.ts'

async function indexOf(column: IndexableColumn): Promise<ColumnIndex> {
  countScan(column, 1e9)
  for (;;) {
    const index = indexOnceWorthwhile(column)
    if (index !== null) return index
    await setImmediate()
  }
}

/** Does the work without pausing, and counts the places where it may pause. */
function pausesOf(work: Work<void>): number {
  let pauses = 0
  for (const _ of work) pauses++
  return pauses
}

function rowsOfSlices(column: Column, index: ColumnIndex, ranges: Ranges, orNull = false): readonly number[] {
  const slices = slicesOf(index, ranges, orNull, index.count)
  assert.ok(slices !== null)
  const bits = new Uint32Array(wordsFor(index.count)).fill(0xffffffff)
  pausesOf(fillSlices(bits, wholeWindow(index.count), column, index, slices))
  const ids = new Int32Array(countRows(bits, wholeWindow(index.count)))
  listRows(bits, wholeWindow(index.count), ids)
  assert.equal(ids.length, slices.rows)
  return [...ids]
}

describe('a slice of many rows', () => {
  it('is written in portions, even when its values are common', async () => {
    const count = 200_000
    const column: IntegerColumn = {
      type: 'date',
      values: Int32Array.from({ length: count }, (_, i) => -i % 4),
    }
    const index = await indexOf(column)
    for (const ranges of [
      [-1, -1],
      [-2, -1],
    ]) {
      const slices = slicesOf(index, ranges, false, count)
      assert.ok(slices !== null)
      const bits = new Uint32Array(wordsFor(count))
      assert.ok(pausesOf(fillSlices(bits, wholeWindow(count), column, index, slices)) > 0)
      assert.equal(countRows(bits, wholeWindow(count)), slices.rows)
    }
  })
})

describe('a column index', () => {
  it('is built once the column has been scanned often enough, and then kept', async () => {
    const column: IntegerColumn = { type: 'date', values: Int32Array.of(3, 1, 2) }
    assert.equal(indexOnceWorthwhile(column), null)
    countScan(column, 3)
    assert.equal(indexOnceWorthwhile(column), null)
    countScan(column, 100)
    assert.equal(indexOnceWorthwhile(column), null, 'the request that starts the build does not wait')
    const index = await indexOf(column)
    assert.deepEqual([...(index?.ids ?? [])], [1, 2, 0])
    assert.equal(indexOnceWorthwhile(column), index)
  })

  it('finds the rows of integers, with nulls apart', async () => {
    const column: IntegerColumn = {
      type: 'integer',
      values: Int32Array.of(5, NULL_INTEGER, -2, 5, 0x7fffffff, NULL_INTEGER + 1, NULL_INTEGER),
    }
    const index = await indexOf(column)
    assert.deepEqual([...index.ids!], [5, 2, 0, 3, 4, 1, 6])
    assert.deepEqual(rowsOfSlices(column, index, [5, 5]), [0, 3])
    assert.deepEqual(rowsOfSlices(column, index, [-10, 4, 6, 0x7fffffff]), [2, 4])
    assert.deepEqual(rowsOfSlices(column, index, [-10, 4], true), [1, 2, 6])
    assert.deepEqual(rowsOfSlices(column, index, [6, 9]), [])
  })

  it('finds the rows of amounts, with nulls apart', async () => {
    const column: DecimalColumn = {
      type: 'decimal',
      values: Float64Array.of(5, Number.NaN, -2, 5, Number.MAX_SAFE_INTEGER, -0, 0),
    }
    const index = await indexOf(column)
    assert.deepEqual(rowsOfSlices(column, index, [5, 5]), [0, 3])
    assert.deepEqual(rowsOfSlices(column, index, [0, 0]), [5, 6])
    assert.deepEqual(rowsOfSlices(column, index, [6, Infinity], true), [1, 4])
    assert.deepEqual(rowsOfSlices(column, index, [-Infinity, 5]), [0, 2, 3, 5, 6])
  })

  it('finds the rows of codes, with nulls apart', async () => {
    const dictionary = dictionaryOf(['a', 'b', 'c'])
    const column = { type: 'text' as const, codes: Int32Array.of(2, 3, 0, 2, 1, 3), dictionary }
    const index = await indexOf(column)
    assert.deepEqual(rowsOfSlices(column, index, [1, 2]), [0, 3, 4])
    assert.deepEqual(rowsOfSlices(column, index, [0, 0], true), [1, 2, 5])
  })

  it('costs nothing for the column by which the rows are ordered', async () => {
    const column: IntegerColumn = { type: 'date', values: Int32Array.of(1, 2, 2, 2, 7) }
    registerRowOrder(column)
    const index = indexOnceWorthwhile(column)
    assert.equal(index?.ids, null)
    assert.deepEqual(rowsOfSlices(column, index!, [2, 6]), [1, 2, 3])
    assert.deepEqual(rowsOfSlices(column, index!, [0, 1, 7, 9]), [0, 4])
  })

  it('keeps bitmaps of its common values, which give the same answers', async () => {
    const values = Int32Array.from({ length: 200 }, (_, row) => (row % 10 === 0 ? NULL_INTEGER : row % 3))
    const column: IntegerColumn = { type: 'integer', values }
    const index = await indexOf(column)
    const expected = (wanted: readonly number[]) =>
      [...values.keys()].filter((row) => wanted.includes(values[row]!))
    for (let time = 0; time < 2; time++) {
      assert.deepEqual(rowsOfSlices(column, index, [1, 1]), expected([1]))
      assert.deepEqual(rowsOfSlices(column, index, [0, 0, 2, 2]), expected([0, 2]))
      assert.deepEqual(rowsOfSlices(column, index, [2, 2], true), expected([2, NULL_INTEGER]))
      assert.deepEqual(rowsOfSlices(column, index, [], true), expected([NULL_INTEGER]))
    }
  })

  it('returns no slices when there would be very many', async () => {
    const column: IntegerColumn = {
      type: 'integer',
      values: Int32Array.from({ length: 100 }, (_, row) => row),
    }
    const index = await indexOf(column)
    const everySecond = Array.from({ length: 100 }, (_, i) => i - (i % 2))
    assert.equal(slicesOf(index, everySecond, false, 100), null)
  })
})
