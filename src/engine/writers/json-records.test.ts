import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { DatasetName } from '../../schema/datasets.ts'
import type { RowNumbers } from '../encoded-records.ts'
import { chunksOf, partitionOf, resultOf } from '../memory/testing/partitions.ts'

const given = Array.from({ length: 12 }, (_, i) => ({ fields: { recordLocator: `L${i}` } }))
const bookings = partitionOf('bookings', given)
const invoices = partitionOf('invoices', given)
const fronts = bookings.records.map((record) => record.replace(/,"segments".*/, '}'))

const chunks = (dataset: DatasetName, rows: RowNumbers, chunkBytes: number): readonly Uint8Array[] => {
  const { partition } = dataset === 'invoices' ? invoices : bookings
  return chunksOf(resultOf(partition, dataset, 99, rows), 'json', chunkBytes)
}
const joined = (parts: readonly Uint8Array[]): string => Buffer.concat(parts).toString()

const someRows: RowNumbers = { ids: Int32Array.of(11, 0, 3, 4, 7, 2), from: 1, count: 4 }
const run: RowNumbers = { ids: null, from: 5, count: 6 }

describe('records as JSON', () => {
  it('writes itineraries and invoices whole, and a booking as the first part of its itinerary', () => {
    assert.equal(
      joined(chunks('itineraries', someRows, 9999)),
      [0, 3, 4, 7].map((row) => bookings.records[row]).join(','),
    )
    assert.equal(
      joined(chunks('invoices', run, 9999)),
      [5, 6, 7, 8, 9, 10].map((row) => invoices.records[row]).join(','),
    )
    assert.equal(joined(chunks('bookings', someRows, 9999)), [0, 3, 4, 7].map((row) => fronts[row]).join(','))
  })

  for (const dataset of ['bookings', 'itineraries'] as const) {
    it(`writes the same ${dataset} whatever the size of the chunks`, () => {
      for (const rows of [someRows, run]) {
        const whole = joined(chunks(dataset, rows, 1 << 20))
        for (let chunkBytes = 1; chunkBytes < Buffer.byteLength(whole) + 3; chunkBytes++) {
          const parts = chunks(dataset, rows, chunkBytes)
          assert.equal(joined(parts), whole)
          for (const part of parts) {
            const records = Buffer.from(part).toString().split('},{').length
            assert.ok(part.length <= chunkBytes || records === 1, `${part.length} bytes for ${chunkBytes}`)
          }
        }
      }
    })
  }

  it('writes a page as one chunk when it fits exactly, and as two when the chunk is a byte smaller', () => {
    const size = Buffer.byteLength(joined(chunks('bookings', someRows, 1 << 20)))
    assert.equal(chunks('bookings', someRows, size).length, 1)
    assert.equal(chunks('bookings', someRows, size - 1).length, 2)
  })

  it('writes nothing for an empty page and can be read twice', () => {
    assert.deepEqual(chunks('bookings', { ids: null, from: 0, count: 0 }, 100), [])
    const result = resultOf(bookings.partition, 'bookings', 6, run)
    assert.deepEqual(chunksOf(result, 'json', 64), chunksOf(result, 'json', 64))
  })

  it('reads records that begin anywhere in shared memory', () => {
    const { records } = bookings.partition
    const shared = new Uint8Array(new SharedArrayBuffer(records.bytes.length + 3), 3)
    shared.set(records.bytes)
    const partition = { ...bookings.partition, records: { ...records, bytes: shared } }
    const result = resultOf(partition, 'itineraries', 6, run)
    assert.equal(joined(chunksOf(result, 'json', 50)), joined(chunks('itineraries', run, 50)))
  })
})

describe('records as lines of JSON', () => {
  const lines = (rows: RowNumbers, chunkBytes: number) =>
    chunksOf(resultOf(bookings.partition, 'bookings', 99, rows), 'ndjson', chunkBytes)

  it('each end with a line feed, including the last one, whatever the size of the chunks', () => {
    const whole = [0, 3, 4, 7].map((row) => `${fronts[row]}\n`).join('')
    for (let chunkBytes = 1; chunkBytes < Buffer.byteLength(whole) + 3; chunkBytes++) {
      const parts = lines(someRows, chunkBytes)
      assert.equal(joined(parts), whole)
      for (const part of parts) {
        assert.ok(part.length <= chunkBytes || joined([part]).split('\n').length === 2)
        assert.equal(part.at(-1), 0x0a)
      }
    }
  })

  it('are none for an empty page', () => {
    assert.deepEqual(lines({ ids: null, from: 0, count: 0 }, 100), [])
  })
})
