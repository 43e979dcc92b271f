import assert from 'node:assert/strict'
import { it } from 'node:test'
import { fileName } from './file-name.ts'

for (const [client, list, snapshot, format, expected] of [
  ['C00001', 'bookings', '20260101T000000', 'csv', 'C00001-bookings-20260101T000000.csv'],
  ['C00001', 'invoices', null, 'arrow', 'C00001-invoices.arrows'],
  ['A/../B c', 'bookings', 'x', 'json', 'A_.._B_c-bookings-x.json'],
] as const) {
  it(`names a file ${expected}`, () => assert.equal(fileName(client, list, snapshot, format), expected))
}
