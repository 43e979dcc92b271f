import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { RecordBatchReader, type Table, tableFromIPC } from 'apache-arrow'
import { formatMinute } from '../../kernel/calendar.ts'
import type { DatasetName } from '../../schema/datasets.ts'
import type { Partition } from '../../snapshot/partition.ts'
import type { RowNumbers } from '../encoded-records.ts'
import { chunksOf, resultOf } from '../memory/testing/partitions.ts'
import { bookingsOf, invoicesOf } from '../memory/testing/stored-partition.ts'

const all = ({ rowCount }: Partition): RowNumbers => ({ ids: null, from: 0, count: rowCount })
const chunks = (partition: Partition, dataset: DatasetName, rows = all(partition)) =>
  chunksOf(resultOf(partition, dataset, rows.count, rows), 'arrow', 65_536)
const table = (partition: Partition, dataset: DatasetName, rows = all(partition)): Table =>
  tableFromIPC(Buffer.concat(chunks(partition, dataset, rows)))
const typesOf = ({ schema }: Table) =>
  schema.fields.map(({ name, type, nullable }) => `${name}: ${type}${nullable ? '?' : ''}`)

const manyBookings = bookingsOf(
  Array.from({ length: 3000 }, (_, i) => ({
    agency: i % 2 === 0 ? 'Online' : `Ä${i}`,
    minute: i === 5 ? 4_223_371_679 : i * 601 - 900_000,
    isTicketed: i % 3 === 0,
  })),
)

describe('records as Arrow', () => {
  it('have types that every reader has, without dictionary encoding', () => {
    assert.deepEqual(typesOf(table(manyBookings, 'bookings')), [
      'clientNumber: Utf8',
      'recordLocator: Utf8',
      'originatingAgency: Utf8',
      'bookingDate: Date32<DAY>',
      'modifiedAt: Timestamp<MILLISECOND>',
      'isTicketed: Bool',
      'isInternational: Bool',
      'tripStartLocal: Timestamp<MILLISECOND>',
      'tripEndLocal: Timestamp<MILLISECOND>',
    ])
    const invoices = typesOf(table(invoicesOf([], ['A', 'B']), 'invoices'))
    assert.equal(invoices[2], 'recordLocator: Utf8?')
    assert.match(
      invoices[11] ?? '',
      /^lineItems: List<Struct<\{lineNumber:Int32, .*unitPrice:Decimal\[18e\+5\]/,
    )
    assert.equal(invoices[12], 'customDataFields: Struct<{A:Utf8, B:Utf8}>')
  })

  it('come in small batches however many elements and labels they have, with at least one record each', () => {
    const lines = (count: number) => Array.from({ length: count }, () => ({ description: 'Fare', price: 1 }))
    const labels = Array.from({ length: 200 }, (_, i) => `Label ${i}`)
    const partitions = [
      invoicesOf(Array.from({ length: 1000 }, (_, i) => ({ number: `I${i}`, lines: lines(100) }))),
      invoicesOf(
        Array.from({ length: 1000 }, (_, i) => ({ number: `I${i}`, custom: labels })),
        labels,
      ),
    ]
    for (const partition of partitions) {
      const parts = chunks(partition, 'invoices')
      for (const part of parts) assert.ok(part.byteLength < 512 * 1024, `${part.byteLength}`)
      assert.equal(tableFromIPC(Buffer.concat(parts)).numRows, 1000)
    }
    const huge = invoicesOf([{ number: 'I1', lines: lines(5000) }, { number: 'I2' }])
    assert.equal(chunks(huge, 'invoices').length, 3)
    assert.equal(table(huge, 'invoices').get(0)?.toJSON().lineItems.length, 5000)
  })

  it('come in batches of a bounded size, one per chunk, with the same content as a single batch', () => {
    const rows = { ids: Int32Array.from({ length: 3000 }, (_, i) => 2999 - i), from: 10, count: 2500 }
    const parts = chunks(manyBookings, 'itineraries', rows)
    const batches = [...RecordBatchReader.from(Buffer.concat(parts))].map(({ numRows }) => numRows)
    assert.deepEqual(batches, [1024, 1024, 452])
    assert.equal(parts.length, 4)
    const read = table(manyBookings, 'itineraries', rows)
    for (const place of [0, 1, 1023, 1024, 2047, 2048, 2499]) {
      const row = 2989 - place
      const minute = row === 5 ? 4_223_371_679 : row * 601 - 900_000
      const record = read.get(place)?.toJSON()
      assert.equal(record?.recordLocator, `L${row}`)
      assert.equal(record?.originatingAgency, row % 2 === 0 ? 'Online' : `Ä${row}`)
      assert.equal(record?.isTicketed, row % 3 === 0)
      assert.equal(new Date(Number(record?.modifiedAt)).toISOString().slice(0, 16), formatMinute(minute))
      assert.equal(record?.segments.length, row % 2)
    }
  })

  it('have exact amounts, including negative and the largest ones', () => {
    const prices = [1, -1, null, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 0, 2 ** 32, -(2 ** 32)]
    const lines = prices.map((price) => ({ description: null, price }))
    const read = table(invoicesOf([{ number: 'I1' }, { number: 'I2', lines }]), 'invoices')
    assert.deepEqual(read.get(0)?.lineItems.length, 0)
    const words = [...(read.get(1)?.lineItems ?? [])].map(({ unitPrice }) => unitPrice as Uint32Array | null)
    const scaled = words.map(
      (value) =>
        value &&
        BigInt.asIntN(
          128,
          value.reduceRight((sum, word) => (sum << 32n) | BigInt(word), 0n),
        ),
    )
    assert.deepEqual(
      scaled,
      prices.map((price) => price && BigInt(price)).map((price) => (price === 0 ? 0n : price)),
    )
  })

  it('keep every byte of a text, and distinguish null from empty', () => {
    const texts = ['\ufeffx', null, '=1', 'é\u0001"', '']
    const partition = invoicesOf(
      texts.map((text, i) => ({ number: `I${i}`, custom: [text] })),
      ['A'],
    )
    const column = table(partition, 'invoices').getChild('customDataFields')?.getChildAt(0)
    const [data] = column?.data ?? []
    assert.equal(Buffer.from(data?.values as Uint8Array).toString('utf8', 0, 10), '\ufeffx=1é\u0001"')
    assert.deepEqual([...(data?.valueOffsets ?? [])], [0, 4, 4, 6, 10, 10])
    assert.deepEqual([column?.isValid(1), column?.isValid(4), column?.nullCount], [false, true, 1])
  })

  it('are only a schema when there are no records, without a struct for labels when the client has none', () => {
    const empty = table(manyBookings, 'bookings', { ids: null, from: 0, count: 0 })
    assert.equal(empty.numRows, 0)
    assert.equal(empty.schema.fields.length, 9)
    assert.ok(empty.schema.fields.every(({ name }) => name !== 'customDataFields'))
    assert.equal(empty.schema.metadata.get('tripfolio.clientNumber'), 'C1')
  })

  it('of version 1 are refused, because not all their members have columns', () => {
    assert.throws(() => chunks(manyBookings, 'bookings-v1'), /cannot be written as Arrow|has no column/)
  })
})
