import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { DatasetName } from '../../schema/datasets.ts'
import { recordFormats } from '../../schema/record-formats.ts'
import type { Partition } from '../../snapshot/partition.ts'
import type { RecordRow, ResultSet } from '../engine.ts'
import { resultOf } from '../memory/testing/partitions.ts'
import { bookingsOf, invoicesOf } from '../memory/testing/stored-partition.ts'
import { joined } from '../testing/joined-chunks.ts'
import { readRows } from '../testing/read-rows.ts'
import { writable } from './write-records.ts'

const encodedResult = (partition: Partition, dataset: DatasetName): ResultSet =>
  resultOf(partition, dataset, partition.rowCount, { ids: null, from: 0, count: partition.rowCount })

async function* cut(rows: readonly RecordRow[], size: number): AsyncGenerator<readonly RecordRow[]> {
  for (let from = 0; from < rows.length; from += size) yield rows.slice(from, from + size)
}

/** The same result as rows. */
function rowsResult(partition: Partition, dataset: DatasetName, batches: ReturnType<typeof cut>): ResultSet {
  return { ...encodedResult(partition, dataset), records: { kind: 'rows', batches: () => batches } }
}

const rowsOf = (partition: Partition, dataset: DatasetName): readonly RecordRow[] =>
  readRows(partition, dataset).map(({ row }) => row)

const lines = (count: number) => Array.from({ length: count }, (_, i) => ({ description: `é${i}`, price: i }))
const labels = Array.from({ length: 120 }, (_, i) => `Label ${i}`)
const bookings = bookingsOf(
  Array.from({ length: 2500 }, (_, i) => ({
    agency: `=${i % 9}"`,
    minute: i * 601,
    isTicketed: i % 3 === 0,
  })),
)

const partitions: readonly (readonly [what: string, dataset: DatasetName, partition: Partition])[] = [
  ['many bookings', 'bookings', bookings],
  ['many itineraries', 'itineraries', bookings],
  [
    'invoices with many lines and labels',
    'invoices',
    invoicesOf(
      Array.from({ length: 300 }, (_, i) => ({
        number: `I${i}`,
        custom: labels.map((label, l) => (l % 2 === 0 ? label : null)),
        lines: lines(i % 60),
      })),
      labels,
    ),
  ],
  [
    'an invoice with more lines than a batch holds',
    'invoices',
    invoicesOf([{ number: 'I1', lines: lines(5000) }, { number: 'I2' }]),
  ],
  ['nothing', 'bookings', bookingsOf([])],
]

describe('rows', () => {
  for (const [what, dataset, partition] of partitions) {
    it(`are written as the same bytes as encoded records, however they are split: ${what}`, async () => {
      const rows = rowsOf(partition, dataset)
      for (const format of recordFormats) {
        const expected = await joined(writable(encodedResult(partition, dataset)).chunks(format, 10_000))
        for (const size of [1000, 1024, 2049]) {
          const result = rowsResult(partition, dataset, cut(rows, size))
          const chunks = writable(result).chunks(format, 10_000)
          assert.ok(expected.equals(await joined(chunks)), `${format}, ${size} rows at a time`)
        }
      }
    })
  }

  it('are read only as far as they are written, and are released when the reader stops', async () => {
    const rows = rowsOf(bookings, 'bookings')
    let [given, released] = [0, false]
    async function* watched() {
      try {
        for await (const batch of cut(rows, 100)) {
          given += batch.length
          yield batch
        }
      } finally {
        released = true
      }
    }
    for await (const chunk of writable(rowsResult(bookings, 'bookings', watched())).chunks('json', 1000)) {
      assert.ok(chunk.length <= 1000)
      break
    }
    assert.deepEqual([given, released], [1100, true])
  })

  it('end the answer with the cause when the engine fails half-way', async () => {
    const cause = new Error('The connection was lost')
    async function* failing() {
      yield* cut(rowsOf(bookings, 'bookings'), 2000)
      throw cause
    }
    const chunks = writable(rowsResult(bookings, 'bookings', failing())).chunks('csv', 1000)
    await assert.rejects(joined(chunks), cause)
  })

  it('are refused when they lack a value', async () => {
    const broken = { ...rowsOf(bookings, 'bookings')[0]!, values: ['C1'] }
    const chunks = writable(rowsResult(bookings, 'bookings', cut([broken], 1))).chunks('json', 1000)
    await assert.rejects(joined(chunks), /A row has no recordLocator/)
  })
})
