import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { extractTables, type TableName } from '../../schema/extract-tables.ts'
import { matchNames } from './names.ts'

/** What is found for a column among some names: its own name, another spelling, the nearest name, or nothing. */
const cases: readonly (readonly [
  table: TableName,
  column: string,
  names: readonly string[],
  found: { readonly name: string | null; readonly found: boolean; readonly nearest: string | null },
])[] = [
  [
    'bookings',
    'record_locator',
    ['RECORD_LOCATOR '],
    { name: 'RECORD_LOCATOR ', found: true, nearest: null },
  ],
  ['bookings', 'record_locator', ['RecordLocator'], { name: 'RecordLocator', found: false, nearest: null }],
  ['bookings', 'record_locator', ['Record Locator'], { name: 'Record Locator', found: false, nearest: null }],
  ['bookings', 'record_locator', ['record-locator'], { name: 'record-locator', found: false, nearest: null }],
  ['bookings', 'record_locator', ['RecLoc'], { name: null, found: false, nearest: 'RecLoc' }],
  ['bookings', 'record_locator', ['recrod_locator'], { name: null, found: false, nearest: 'recrod_locator' }],
  ['invoices', 'invoice_number', ['InvNo'], { name: null, found: false, nearest: 'InvNo' }],
  ['clients', 'name', ['ClientName'], { name: null, found: false, nearest: 'ClientName' }],
  ['bookings', 'record_locator', ['pnr'], { name: null, found: false, nearest: null }],
  // The exact name comes first, and its spelling twin is left over.
  [
    'bookings',
    'record_locator',
    ['RecordLocator', 'record_locator'],
    { name: 'record_locator', found: true, nearest: null },
  ],
  // An optional column is not guessed: custom_data3 is not custom_data1.
  ['bookings', 'custom_data1', ['custom_data3'], { name: null, found: false, nearest: null }],
  // In a file without a header, the first row has its place.
  [
    'clients',
    'client_number',
    ['client_number 4111111111111111'],
    { name: null, found: false, nearest: null },
  ],
]

describe('the name of a column', () => {
  for (const [table, column, names, expected] of cases) {
    it(`${column} of ${table} among ${names.map((name) => `'${name}'`).join(' and ')}`, () => {
      const { columns } = matchNames(table, extractTables[table].columns, names)
      const { name, found, nearest } = columns.find((match) => match.column.column === column) ?? {}
      assert.deepEqual({ name, found, nearest }, expected)
    })
  }

  it('is ignored when it belongs to no column', () => {
    const { ignored } = matchNames('clients', extractTables.clients.columns, ['name', 'Name', 'region'])
    assert.deepEqual(ignored, ['Name', 'region'])
  })
})
