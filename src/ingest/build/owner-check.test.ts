/** The last check before a record is written: each of its rows belongs to the client. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { prepareStaging, stagedTable } from '../staging.ts'
import { ingestedTables } from '../tables.ts'
import { openWorkDatabase } from '../work-database.ts'
import { buildCollections } from './build-collections.ts'
import { ownerCheck, type RecordRows } from './owner-check.ts'
import type { NamedColumn } from './record-streams.ts'

const text = (...names: string[]): { readonly columns: readonly NamedColumn[] } => ({
  columns: names.map((name) => ({ name, type: 'text' })),
})
const columns = {
  records: text('client_number', 'record_locator', 'booking.client_number'),
  captured: text('field', 'value', 'client_number'),
  elements: text('description', 'client_number'),
  parties: text('client_number', 'name'),
}
const own: RecordRows = {
  record: ['A1', 'LOC1', 'A1'],
  captured: [['project', 'x', 'A1']],
  elements: [
    ['first', 'A1'],
    ['second', 'A1'],
  ],
  parties: [['A1', 'Kim']],
}

describe('the check of owners', () => {
  it('accepts a record whose rows all belong to its client, with or without a booking', () => {
    const check = ownerCheck('invoices', columns)
    check('A1', own)
    check('A1', { ...own, record: ['A1', null, null], captured: [], elements: [], parties: [] })
  })

  const foreign: readonly (readonly [table: string, rows: Partial<RecordRows>])[] = [
    ['invoices', { record: ['B2', 'LOC1', 'A1'] }],
    ['bookings', { record: ['A1', 'LOC1', 'B2'] }],
    ['booking_custom_data', { captured: [['project', 'x', 'B2']] }],
    [
      'invoice_lines',
      {
        elements: [
          ['first', 'A1'],
          ['second', 'B2'],
        ],
      },
    ],
    ['payments', { parties: [['B2', 'Kim']] }],
  ]
  for (const [table, rows] of foreign) {
    it(`refuses a record that holds a row of table ${table} of another client`, () => {
      const check = ownerCheck('invoices', columns)
      assert.throws(() => check('A1', { ...own, ...rows }), {
        code: 'ING128',
        message: `A record of client 'A1' contains a row of table '${table}' that belongs to client 'B2'`,
      })
    })
  }

  it('tells clients apart that differ only in letter case or blanks', () => {
    const check = ownerCheck('invoices', columns)
    for (const other of ['a1', ' A1', 'A1 ', 'Ａ1', null]) {
      assert.throws(() => check('A1', { ...own, parties: [[other, 'Kim']] }), { code: 'ING128' })
    }
  })

  it('refuses rows without a column that names their client', () => {
    assert.throws(() => ownerCheck('invoices', { ...columns, parties: text('name') }), RangeError)
  })
})

describe('building the collections', () => {
  it('ends with a defect, and adds nothing, when the database joins the rows of two clients', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'tripfolio-owners-'))
    t.after(() => rm(folder, { recursive: true }))
    const database = await openWorkDatabase(folder, { threads: 1 })
    try {
      await prepareStaging(database, ingestedTables)
      const staged = (table: 'clients' | 'bookings' | 'segments', row: string) =>
        database.run(`INSERT INTO ${stagedTable(table)} BY NAME SELECT ${row}`)
      for (const client of ['A1', 'a1']) {
        await staged('clients', `'${client}' AS client_number, 'Client' AS name`)
        await staged(
          'segments',
          `'${client}' AS client_number, 'LOC1' AS record_locator, 1 AS segment_number, 'AIR' AS segment_type`,
        )
      }
      await staged(
        'bookings',
        `'A1' AS client_number, 'LOC1' AS record_locator, 'x' AS originating_agency, 0 AS booking_date, 0 AS modified_at,
         true AS is_ticketed, true AS is_international, 0 AS trip_start_local, 0 AS trip_end_local`,
      )
      // This acts like a join that ignores letter case.
      for (const table of ['clients', 'bookings', 'segments'] as const) {
        await database.run(
          `ALTER TABLE ${stagedTable(table)} ALTER client_number TYPE VARCHAR COLLATE NOCASE`,
        )
      }
      const added: string[] = []
      const draft = {
        add: async ({ clientNumber }: { readonly clientNumber: string }) => {
          added.push(clientNumber)
          return { bytes: 0, kept: false }
        },
      }
      const client = (clientNumber: string) => ({
        clientNumber,
        name: 'Client',
        labels: { labels: [], columns: [], byField: new Map() },
      })
      const clients = [client('A1'), client('a1')]
      await assert.rejects(
        buildCollections(clients, { database, draft, accepted: {}, onBuilt: () => undefined }),
        {
          code: 'ING128',
          message: /^A record of client 'A1' contains a row of table 'segments' that belongs to client 'a1'$/,
        },
      )
      assert.deepEqual(added, [])
    } finally {
      await database.close()
    }
  })
})
