import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type TestDatabase, testDatabase } from '../../postgres/testing/postgres-server.ts'
import type { ColumnRef, Predicate, QueryPlan } from '../../query/plan/plan-nodes.ts'
import type { Partition } from '../../snapshot/partition.ts'
import type { PlacedData } from '../../snapshot/postgres/placed-data.ts'
import { openPlacedRecords, type PlacedRecords } from '../../snapshot/postgres/testing/placed-records.ts'
import { invoicesOf } from '../memory/testing/stored-partition.ts'
import { evaluatePlan } from '../testing/evaluate-plan.ts'
import { readRows } from '../testing/read-rows.ts'
import { recordsIn } from './batches.ts'
import { readPage } from './pages.ts'
import { selectionOf } from './selections.ts'
import { openRecordServer, type RecordServer } from './server.ts'
import type { Statement } from './statements.ts'

const number: ColumnRef = { kind: 'field', name: 'invoiceNumber', type: 'text' }
const description: ColumnRef = { kind: 'field', name: 'description', type: 'text' }
const search: Predicate = { kind: 'match', column: number, function: 'contains', folded: 'n1' }
const equal: Predicate = {
  kind: 'compare',
  column: number,
  comparison: 'ge',
  comparand: { as: 'text', folded: 'n1' },
}
const filters: readonly (readonly [string, Predicate])[] = [
  ['a search', search],
  ['a search among other conditions', { kind: 'and', operands: [equal, search] }],
  ['a comparison', equal],
  [
    'elements',
    {
      kind: 'any',
      collection: 'lineItems',
      condition: { kind: 'match', column: description, function: 'contains', folded: 'x' },
    },
  ],
  ['nothing', { kind: 'constant', value: false }],
]

describe('a page with its total', () => {
  const partition: Partition = invoicesOf(
    Array.from({ length: 30 }, (_, i) => ({
      number: `N${i}`,
      lines: [{ description: 'xy'[i % 2] ?? '', price: 1 }],
    })),
  )
  let database: TestDatabase
  let records: PlacedRecords
  let placed: PlacedData
  let server: RecordServer
  before(async () => {
    database = await testDatabase()
    records = await openPlacedRecords(database.url, false)
    placed = await records.place(partition)
    server = openRecordServer({ url: database.url, connections: 2, cpuMs: Infinity })
  })
  after(async () => {
    await server.close()
    await records.close()
    await database.drop()
  })

  for (const [title, where] of filters) {
    for (const rows of [30, 1_000_000]) {
      it(`is that of the selection, wherever the page is: ${title}, of ${rows} rows`, async () => {
        for (const offset of [0, 5, 10, 11, 15, 100]) {
          for (const limit of [1, 5, 50]) {
            const plan: QueryPlan = {
              dataset: 'invoices',
              where,
              orderBy: [],
              paging: { offset, limit },
              select: null,
            }
            const expected = evaluatePlan(readRows(partition, 'invoices'), plan)
            const selection = selectionOf(plan, placed)
            const wanted = { where, selection, paging: { offset, limit }, known: undefined, rows }
            const found = await readPage(wanted, (statement) => server.ask(statement, undefined))
            const count = found.records === null ? 0 : recordsIn(found.records)
            assert.deepEqual(
              [found.total, count],
              [expected.total, expected.page.length],
              `${offset} ${limit}`,
            )
          }
        }
      })
    }
  }

  it('counts beside the page with a plan for the values, because a kept one may take twice as long', async () => {
    const plan: QueryPlan = { dataset: 'invoices', where: equal, orderBy: [], paging: null, select: null }
    const selection = selectionOf(plan, placed)
    const asked: Statement[] = []
    const wanted = { where: equal, selection, paging: { offset: 0, limit: 1 }, known: undefined, rows: 1e6 }
    await readPage(wanted, (statement) => {
      asked.push(statement)
      return server.ask(statement, undefined)
    })
    assert.deepEqual(
      asked.map(({ text, plannedAnew = false }) => [text.startsWith('select count'), plannedAnew]),
      [
        [true, true],
        [false, false],
      ],
    )
  })

  it('fails as a whole when counting fails', async () => {
    const plan: QueryPlan = { dataset: 'invoices', where: equal, orderBy: [], paging: null, select: null }
    const selection = selectionOf(plan, placed)
    const wanted = { where: equal, selection, paging: { offset: 0, limit: 1 }, known: undefined, rows: 1e6 }
    const asked = readPage(wanted, ({ text, values }) =>
      server.ask({ text: text.startsWith('select count') ? 'select nothing' : text, values }, undefined),
    )
    await assert.rejects(asked, { code: 'PGS105' })
  })
})
