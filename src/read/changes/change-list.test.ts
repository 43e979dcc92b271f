/** Copies of the records of a list. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { KeyedRecords } from '../../engine/keyed-records.ts'
import { BATCH_RECORDS, type ChangeList, withCopies } from './change-list.ts'

const RECORD_BYTES = 10
const recordOf = (row: number): string => `{"r":${String(row).padStart(4, '0')}}`

/** Every third change is a removal; the others have the rows from the last one to the first. */
function listOf(count: number): ChangeList {
  return {
    count,
    markAt: (place) => (place % 3 === 2 ? [`K${place}`] : 'changed'),
    rowAt: (place) => count - place,
    copies: null,
    byteLength: 100 * count,
  }
}

/** Data of which reads are counted. */
function dataOf(count: number, read = (rows: readonly number[]) => rows): KeyedRecords & { reads: number } {
  const bytes = Buffer.from(Array.from({ length: count + 1 }, (_, row) => recordOf(row)).join(''))
  const offsets = Int32Array.from({ length: count + 2 }, (_, row) => RECORD_BYTES * row)
  const data = {
    reads: 0,
    rowsByKey: async () => new Int32Array(0),
    rowsOf: async () => [],
    read: async (rows: readonly number[]) => {
      data.reads++
      const ids = Int32Array.from(read(rows))
      return { json: { bytes, offsets, fronts: null }, rows: { ids, from: 0, count: ids.length } }
    },
  }
  return data
}

describe('a list with copies', () => {
  const COUNT = 1200
  const bytes = RECORD_BYTES * (COUNT - COUNT / 3)

  it('has the record of each place, and takes from the budget what it keeps', async () => {
    const budget = { leftBytes: bytes }
    const list = listOf(COUNT)
    const { copies, rowAt, byteLength } = await withCopies(list, dataOf(COUNT), budget)
    assert.ok(copies)
    for (let place = 0; place < COUNT; place++) {
      if (place % 3 === 2) continue
      const row = rowAt(place)
      const [begin, end]: readonly (number | undefined)[] = [copies.offsets[row], copies.offsets[row + 1]]
      assert.equal(Buffer.from(copies.bytes).toString('utf8', begin, end), recordOf(list.rowAt(place)))
    }
    assert.deepEqual([budget.leftBytes, byteLength], [0, list.byteLength + bytes])
  })

  it('is the same list when the records are longer than the budget, of which no more is read', async () => {
    for (const leftBytes of [bytes - 1, RECORD_BYTES * BATCH_RECORDS, 1, 0]) {
      const [list, data, budget] = [listOf(COUNT), dataOf(COUNT), { leftBytes }]
      assert.equal(await withCopies(list, data, budget), list)
      assert.equal(
        data.reads,
        leftBytes === 0 ? 0 : Math.floor(leftBytes / (RECORD_BYTES * BATCH_RECORDS)) + 1,
      )
      assert.equal(budget.leftBytes, leftBytes)
    }
  })

  it('is the same list when the records cannot be read', async () => {
    const list = listOf(COUNT)
    const data = dataOf(COUNT, () => {
      throw new Error('The server is gone')
    })
    assert.equal(await withCopies(list, data, { leftBytes: bytes }), list)
  })
})
