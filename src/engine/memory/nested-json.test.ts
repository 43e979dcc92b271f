import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { Partition } from '../../snapshot/partition.ts'
import { findNested } from './nested-json.ts'
import { bookingsOf, invoicesOf } from './testing/stored-partition.ts'

function nestedOf(partition: Partition): unknown[] {
  const find = findNested(partition)
  const bytes = Buffer.from(partition.records.bytes)
  return Array.from({ length: partition.rowCount }, (_, row) => {
    const span = { begin: 0, end: 0 }
    find(row, span)
    return JSON.parse(bytes.toString('utf8', span.begin, span.end))
  })
}

function recordsOf({ records: { bytes, offsets }, rowCount }: Partition) {
  return Array.from({ length: rowCount }, (_, row) =>
    JSON.parse(Buffer.from(bytes.subarray(offsets[row], offsets[row + 1])).toString()),
  )
}

describe('the nested JSON of a record', () => {
  it('is the lines of an invoice, whatever the texts around and in them contain', () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('],"customDataFields":', ',"lineItems":[', '"', '\\', ']', 'é', '😀'),
    )
    const line = fc.record({ description: text, price: fc.constant(null) })
    const invoice = fc.record({ number: text, custom: fc.tuple(text), lines: fc.array(line) })
    fc.assert(
      fc.property(fc.array(invoice, { maxLength: 5 }), text, (rows, label) => {
        const partition = invoicesOf(rows, [label])
        assert.deepEqual(
          nestedOf(partition),
          recordsOf(partition).map(({ lineItems }) => lineItems),
        )
      }),
    )
  })

  it('is the segments of an itinerary, even when there are none', () => {
    const partition = bookingsOf([
      { agency: 'Zürich', minute: 0, isTicketed: true },
      { agency: '"],"', minute: 1440, isTicketed: false },
    ])
    const nested = nestedOf(partition)
    assert.deepEqual(nested[0], [])
    assert.deepEqual(
      nested,
      recordsOf(partition).map(({ segments }) => segments),
    )
  })
})
