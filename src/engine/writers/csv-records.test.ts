import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { DatasetName } from '../../schema/datasets.ts'
import type { Partition } from '../../snapshot/partition.ts'
import type { RowNumbers } from '../encoded-records.ts'
import { chunksOf, partitionOf, resultOf } from '../memory/testing/partitions.ts'
import { bookingsOf, invoicesOf } from '../memory/testing/stored-partition.ts'

const chunks = (partition: Partition, dataset: DatasetName, rows: RowNumbers, chunkBytes: number) =>
  chunksOf(resultOf(partition, dataset, rows.count, rows), 'csv', chunkBytes)
const all = ({ rowCount }: Partition): RowNumbers => ({ ids: null, from: 0, count: rowCount })
const linesOf = (partition: Partition, dataset: DatasetName, rows = all(partition)): readonly string[] => {
  const text = Buffer.concat(chunks(partition, dataset, rows, 1 << 20)).toString()
  assert.ok(text.startsWith('\ufeff') && text.endsWith('\r\n'))
  return text.slice(1, -2).split('\r\n')
}

const scalars =
  'clientNumber,recordLocator,originatingAgency,bookingDate,modifiedAt,isTicketed,isInternational'

describe('records as CSV', () => {
  const bookings = bookingsOf([
    { agency: 'Harbour, Ltd', minute: 545, isTicketed: true },
    { agency: '=1', minute: 1440, isTicketed: false },
  ])

  it('are a byte order mark, a header and a line per record, with columns in the order of the members', () => {
    assert.deepEqual(linesOf(bookings, 'bookings'), [
      `${scalars},tripStartLocal,tripEndLocal`,
      'C1,L0,"Harbour, Ltd",1970-01-01,1970-01-01T09:05,true,false,1970-01-01T09:05,1970-01-01T09:05',
      "C1,L1,'=1,1970-01-02,1970-01-02T00:00,false,true,1970-01-02T00:00,1970-01-02T00:00",
    ])
  })

  it('have the nested collection as its exact JSON', () => {
    const [header, ...lines] = linesOf(bookings, 'itineraries')
    assert.equal(header, `${scalars},tripStartLocal,tripEndLocal,segments`)
    assert.ok(lines[0]?.endsWith(',[]'), lines[0])
    const segment = { segmentNumber: 1, segmentType: 'AIR', startLocal: '1970-01-02T00:00', endLocal: null }
    const rest = { origin: 'SYD', destination: null, vendor: null, code: '"', status: null }
    const json = JSON.stringify([{ ...segment, ...rest }])
    assert.ok(lines[1]?.endsWith(`,"${json.replaceAll('"', '""')}"`), lines[1])
  })

  it('find the lines of an invoice, whatever its texts contain', () => {
    const marks = [',"lineItems":[', '],"customDataFields":', '[]', '"', '\\', '],', '}']
    const partition = invoicesOf(
      marks.map((mark, i) => ({
        number: `I${i}`,
        obtSource: mark,
        custom: [mark, null],
        lines: [{ description: mark, price: 1 }],
      })),
      ['customDataFields', 'lineItems'],
    )
    const cells = linesOf(partition, 'invoices').slice(1)
    for (const [i, mark] of marks.entries()) {
      const quoted = JSON.stringify(mark).replaceAll('"', '""')
      assert.match(cells[i] ?? '', /,"\[\{""lineNumber"".*""gstPercent"":null\}\]",/)
      assert.ok(cells[i]?.includes(`""description"":${quoted},`), cells[i])
    }
  })

  it('have a column for each label, with its name', () => {
    const partition = invoicesOf([{ number: 'I1', custom: ['x', null] }], ['Cost "centre", all', '=and'])
    const [header, line] = linesOf(partition, 'invoices')
    assert.ok(header?.endsWith(',lineItems,"customDataFields.Cost ""centre"", all",customDataFields.=and'))
    assert.ok(line?.endsWith(',[],x,'))
  })

  it('are only a header when there are no records', () => {
    const rows = { ids: null, from: 0, count: 0 }
    assert.deepEqual(linesOf(bookings, 'bookings', rows), [`${scalars},tripStartLocal,tripEndLocal`])
  })

  it('are the same whatever the size of the chunks, which end with a line', () => {
    const partition = bookingsOf(
      Array.from({ length: 40 }, (_, i) => ({
        agency: 'é'.repeat(i),
        minute: i * 777,
        isTicketed: i % 3 === 0,
      })),
    )
    const rows = { ids: Int32Array.from({ length: 40 }, (_, i) => (i * 7) % 40), from: 3, count: 30 }
    const whole = Buffer.concat(chunks(partition, 'itineraries', rows, 1 << 20))
    for (let chunkBytes = 1; chunkBytes < whole.length + 2; chunkBytes += 13) {
      const parts = chunks(partition, 'itineraries', rows, chunkBytes)
      assert.ok(Buffer.concat(parts).equals(whole))
      for (const part of parts) assert.ok(Buffer.from(part).toString().endsWith('\r\n'))
      assert.ok(parts.every((part) => part.length < chunkBytes + 600))
    }
  })

  it('are refused when the position of the nested collection is unknown', () => {
    const { partition } = partitionOf('invoices', [{ fields: {} }])
    assert.throws(() => linesOf(partition, 'invoices'), /Expected a nested collection in the invoices/)
  })

  it('of version 1 are refused, because not all their members have columns', () => {
    assert.throws(() => linesOf(bookings, 'bookings-v1'), /cannot be written as CSV/)
  })
})
