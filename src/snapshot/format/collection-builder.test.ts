import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { RecordBatchFileWriter } from 'apache-arrow'
import { parseDate, parseMinute } from '../../kernel/calendar.ts'
import type { StoredName } from '../../schema/datasets.ts'
import type { DecimalColumn, TextColumn } from '../partition.ts'
import { CollectionBuilder, type StoredRow } from './collection-builder.ts'
import { readCollection } from './read-collection.ts'

const day = (text: string) => parseDate(text) as number
const minute = (text: string) => parseMinute(text) as number

const bookingRow = (
  recordLocator: string,
  agency: string,
  custom: (string | null)[],
): StoredRow<'bookings'> => ({
  values: [
    'C1',
    recordLocator,
    agency,
    day('2026-02-28'),
    minute('2026-03-01T09:05'),
    true,
    false,
    minute('2026-03-02T00:00'),
    minute('2026-03-03T23:59'),
  ],
  custom,
  elements: [
    [1, 'AIR', minute('2026-03-02T06:00'), null, 'SYD', 'AKL', 'QF', 'QF141', 'HK'],
    [2, 'HOTEL', null, null, null, null, null, null, null],
  ],
  lists: {},
})

const invoiceRow: StoredRow<'invoices'> = {
  values: [
    'Acme "Pty"',
    'C1',
    null,
    'I-1',
    day('2026-01-01'),
    null,
    day('2026-01-31'),
    null,
    null,
    null,
    null,
  ],
  custom: [null],
  elements: [[1, 'FARE', null, 'Ünï', 1, 123456, null, -5, 11_000_000, 1_000_000]],
  lists: {},
}

describe('a collection that outgrows its file', () => {
  it('is refused before any of it is copied', () => {
    const builder = new CollectionBuilder('bookings-v1', 'C1', [])
    const values = [
      ...['A', 'B', 'C1', 0, 0, true, false],
      ...Array(9).fill(null),
      0,
      0,
      0,
      ...Array(5).fill(null),
    ]
    // The texts are never written: only their length is checked.
    const list = 'x'.repeat(4e8)
    assert.throws(
      () => builder.append({ values, custom: [], elements: [], lists: { travellers: list, segments: list } }),
      {
        code: 'SNP101',
        message: /'C1' has more bookings-v1 than one file can hold/,
      },
    )
  })
})

function written<Name extends StoredName>(
  stored: Name,
  labels: string[],
  rows: StoredRow<Name>[],
): Uint8Array {
  const builder = new CollectionBuilder(stored, 'C1', labels)
  for (const row of rows) builder.append(row)
  const writer = new RecordBatchFileWriter()
  writer.write(builder.finish())
  writer.finish()
  return writer.toUint8Array(true)
}

const read = (stored: StoredName, bytes: Uint8Array) =>
  readCollection(bytes, { stored, clientNumber: 'C1', version: 'v' })

describe('the additional fields of a collection', () => {
  const line = invoiceRow.elements[0] ?? []
  const bare = [2, 'FEE', ...Array(8).fill(null)]
  const plain = { ...invoiceRow, elements: [line, bare] }
  const rich: StoredRow<'invoices'> = {
    ...invoiceRow,
    elements: [[...line, 'Ann', null, '081-1', null], bare],
    additional: ['Acme', null, 100, 10, 110, null, 'AUD'],
    collections: [
      [
        ['Shop', day('2026-01-02'), null, '****1111', null, 5],
        [null, null, null, null, null, 0],
      ],
    ],
  }
  const [without, having] = [plain, rich].map((row) =>
    read('invoices', written('invoices', ['Label'], [row, invoiceRow])),
  ) as [ReturnType<typeof read>, ReturnType<typeof read>]
  const texts = (column: unknown) => {
    const { codes, dictionary } = column as TextColumn
    return [...codes].map((code) => (code === dictionary.size ? null : dictionary.text(code)))
  }

  it('change no byte of the records', () => {
    assert.deepEqual(having.records, without.records)
    assert.notEqual(having.records.bytes.length, 0)
  })

  it('are columns of the record, of its elements, and of collections of their own', () => {
    assert.deepEqual(texts(having.columns.get('clientName')), ['Acme', ''])
    assert.deepEqual(texts(having.columns.get('currencyCode')), ['AUD', null])
    assert.deepEqual([...(having.columns.get('totalAmount') as DecimalColumn).values], [110, 0])
    assert.deepEqual(texts(having.nested?.columns.get('ticketNumber')), ['081-1', null, null])
    const payments = having.additional.get('payments')
    assert.deepEqual([...(payments?.offsets ?? [])], [0, 2, 2])
    assert.deepEqual(texts(payments?.columns.get('cardNumber')), ['****1111', null])
  })

  it('are null, empty or 0 in rows that do not have them', () => {
    assert.deepEqual(texts(without.columns.get('clientName')), ['', ''])
    assert.deepEqual(texts(without.columns.get('department')), [null, null])
    assert.equal(without.additional.get('payments')?.elementCount, 0)
  })
})

describe('a collection file', () => {
  const labels = ["Chef d'équipe", 'Cost "centre"']
  const bytes = written('bookings', labels, [
    bookingRow('ABC123', 'b', ['Zoë', null]),
    bookingRow('ABC124', 'B', [null, null]),
    bookingRow('ABD000', 'a', ['É', '']),
  ])
  const bookings = read('bookings', bytes)

  it('holds each booking as an itinerary that begins with the booking', () => {
    const { bytes: json, offsets, bookingLengths } = bookings.records
    const start = offsets[0] as number
    const whole = Buffer.from(json.subarray(start, offsets[1])).toString()
    const front = `${Buffer.from(json.subarray(start, start + (bookingLengths?.[0] as number))).toString()}}`
    const booking = {
      clientNumber: 'C1',
      recordLocator: 'ABC123',
      originatingAgency: 'b',
      bookingDate: '2026-02-28',
      modifiedAt: '2026-03-01T09:05',
      isTicketed: true,
      isInternational: false,
      tripStartLocal: '2026-03-02T00:00',
      tripEndLocal: '2026-03-03T23:59',
      customDataFields: { "Chef d'équipe": 'Zoë' },
    }
    assert.equal(front, JSON.stringify(booking))
    const unknown = { origin: null, destination: null, vendor: null, code: null, status: null }
    assert.equal(
      whole,
      JSON.stringify({
        ...booking,
        segments: [
          {
            segmentNumber: 1,
            segmentType: 'AIR',
            startLocal: '2026-03-02T06:00',
            endLocal: null,
            origin: 'SYD',
            destination: 'AKL',
            vendor: 'QF',
            code: 'QF141',
            status: 'HK',
          },
          { segmentNumber: 2, segmentType: 'HOTEL', startLocal: null, endLocal: null, ...unknown },
        ],
      }),
    )
  })

  it('writes amounts digit by digit', () => {
    const invoices = read('invoices', written('invoices', ['x'], [invoiceRow]))
    const json = Buffer.from(invoices.records.bytes).toString()
    assert.ok(
      json.includes(
        '"quantity":0.00001,"unitPrice":1.23456,"lineDiscountAmount":null,"lineAmountExGst":-0.00005,"lineAmountIncGst":110,"gstPercent":10',
      ),
    )
    assert.deepEqual(Object.keys(JSON.parse(json)).slice(-2), ['lineItems', 'customDataFields'])
  })

  it('orders dictionaries by folded text, then by text', () => {
    const { dictionary, codes } = bookings.columns.get('originatingAgency') as TextColumn
    assert.deepEqual([0, 1, 2].map(dictionary.text), ['a', 'B', 'b'])
    assert.deepEqual([...codes], [2, 1, 0])
  })

  it('gives null the code after the last text', () => {
    const { dictionary, codes } = bookings.custom.get("Chef d'équipe") as TextColumn
    assert.equal(dictionary.size, 2)
    assert.deepEqual([...codes], [0, 2, 1])
  })

  it('gives each row its elements by offsets', () => {
    assert.deepEqual([...(bookings.nested?.offsets ?? [])], [0, 2, 4, 6])
    assert.equal(bookings.nested?.elementCount, 6)
  })

  it('keeps minutes that need more than 32 bits', () => {
    const open = bookingRow('ABC123', 'b', [null, null])
    const wide = minute('9999-12-31T23:59')
    const row = { ...open, elements: [[1, 'AIR', wide, null, null, null, null, null, null]] }
    const columns = read('bookings', written('bookings', labels, [row])).nested?.columns
    assert.deepEqual(columns?.get('startLocal'), { type: 'wide-minute', values: Float64Array.of(wide) })
    assert.equal(columns?.get('endLocal')?.type, 'minute')
  })

  it('is the same bytes for the same rows', () => {
    const rows = [bookingRow('ABC123', 'b', ['Zoë', null])]
    assert.deepEqual(written('bookings', labels, rows), written('bookings', labels, rows))
  })

  it('without rows reads back as an empty partition', () => {
    const empty = read('bookings', written('bookings', labels, []))
    assert.equal(empty.rowCount, 0)
    assert.deepEqual([...empty.custom.keys()], labels)
    assert.equal((empty.columns.get('recordLocator') as TextColumn).dictionary.size, 0)
    assert.deepEqual([...(empty.nested?.offsets ?? [])], [0])
  })

  it('with a column that has only nulls reads back as nulls', () => {
    const nothing = read('bookings', written('bookings', ['never'], [bookingRow('ABC123', 'b', [null])]))
    const { dictionary, codes } = nothing.custom.get('never') as TextColumn
    assert.deepEqual([dictionary.size, ...codes], [0, 0])
  })

  it('refuses a file of another client or collection', () => {
    assert.throws(
      () => readCollection(bytes, { stored: 'bookings', clientNumber: 'C2', version: 'v' }),
      /of client 'C1'/,
    )
    assert.throws(() => read('invoices', bytes), /it holds the bookings/)
  })

  it('refuses a file of another format, naming both formats, and a file without our metadata', () => {
    const altered = (change: (metadata: Map<string, string>) => void) => {
      const batch = new CollectionBuilder('bookings', 'C1', []).finish()
      change(batch.schema.metadata)
      const writer = new RecordBatchFileWriter()
      writer.write(batch)
      writer.finish()
      return writer.toUint8Array(true)
    }
    const older = altered((metadata) => metadata.set('tripfolio.format', '2'))
    assert.throws(() => read('bookings', older), /it has format 2, but its snapshot has format 4/)
    const foreign = altered((metadata) => metadata.delete('tripfolio.client'))
    assert.throws(() => read('bookings', foreign), /it is not a collection file/)
  })

  it('stores the position of the nested collection of each record, unless queries cannot reach it', () => {
    const { bytes: json, offsets, nested } = bookings.records
    for (const row of [0, 1, 2]) {
      const begin = offsets[row] as number
      const record = Buffer.from(json.subarray(begin, offsets[row + 1]))
      const text = record.toString('utf8', nested?.begins[row], nested?.ends[row])
      assert.deepEqual(JSON.parse(text), JSON.parse(record.toString()).segments)
    }
    assert.equal(read('invoices-v1', written('invoices-v1', [], [])).records.nested, null)
  })
})
