import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { Partition } from '../../snapshot/partition.ts'
import type { FindMember } from '../encoded-records.ts'
import { findCustom, findFields } from './finished-members.ts'
import { bookingsOf, invoicesOf } from './testing/stored-partition.ts'

const piece = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom(',"customDataFields":{', '":{', 'customDataFields', '{', ':{', '"', '\\', '\\"', 'é', '😀'),
)

/** Long ones too: a search begins at the earliest place where short texts would end. */
const text = fc.tuple(fc.nat(60), piece, piece).map(([times, one, other]) => one + '😀'.repeat(times) + other)

function textsOf(partition: Partition, find: FindMember): readonly string[] {
  const bytes = Buffer.from(partition.records.bytes)
  return Array.from({ length: partition.rowCount }, (_, row) => {
    const span = { begin: 0, end: 0 }
    find(row, span)
    return bytes.toString('utf8', span.begin, span.end)
  })
}

function recordsOf({ records: { bytes, offsets }, rowCount }: Partition): Record<string, unknown>[] {
  return Array.from({ length: rowCount }, (_, row) =>
    JSON.parse(Buffer.from(bytes.subarray(offsets[row], offsets[row + 1])).toString()),
  )
}

/** The members in front of the first object or list. */
const fieldsOf = (record: Record<string, unknown>): string =>
  JSON.stringify(
    Object.fromEntries(
      Object.entries(record).filter(([, value]) => typeof value !== 'object' || value === null),
    ),
  )

function check(partition: Partition): void {
  const records = recordsOf(partition)
  assert.deepEqual(
    textsOf(partition, findCustom(partition)),
    records.map(({ customDataFields }) => JSON.stringify(customDataFields)),
  )
  assert.deepEqual(
    textsOf(partition, findFields(partition)).map((fields) => `${fields}}`),
    records.map(fieldsOf),
  )
}

describe('the fields and the custom data fields of a record', () => {
  it('are found behind a text that is long and looks like a name and an object', () => {
    const agencies = ['":{', ':{', '"customDataFields":{', ',"customDataFields":{'].flatMap((text) =>
      Array.from({ length: 60 }, (_, times) => `${'😀'.repeat(times)}${text}${'y'.repeat(14)}`),
    )
    check(bookingsOf(agencies.map((agency) => ({ agency, minute: 0, isTicketed: true }))))
  })

  it('are found in invoices, whatever the texts around and in them contain', () => {
    const line = fc.record({ description: text, price: fc.constant(null) })
    const invoice = fc.record({
      number: text,
      obtSource: fc.option(text),
      custom: fc.tuple(fc.option(text)),
      lines: fc.array(line, { maxLength: 3 }),
    })
    fc.assert(
      fc.property(fc.array(invoice, { maxLength: 5 }), text, (rows, label) =>
        check(invoicesOf(rows, [label])),
      ),
    )
  })

  it('are found in bookings, whatever the texts in front of them contain', () => {
    const booking = fc.record({
      agency: text,
      minute: fc.integer({ min: 0, max: 20_000_000 }),
      isTicketed: fc.boolean(),
    })
    fc.assert(fc.property(fc.array(booking, { maxLength: 5 }), (rows) => check(bookingsOf(rows))))
  })
})
