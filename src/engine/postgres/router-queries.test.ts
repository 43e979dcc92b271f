import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Client } from 'pg'
import type { TestDatabase } from '../../postgres/testing/postgres-server.ts'
import type { AggregationPlan } from '../../query/aggregation.ts'
import type { ColumnRef, Predicate, QueryPlan } from '../../query/plan/plan-nodes.ts'
import { datasets } from '../../schema/datasets.ts'
import type { PlacedData } from '../../snapshot/postgres/placed-data.ts'
import { citusDatabase, citusUrl } from '../../snapshot/postgres/testing/citus-database.ts'
import { openPlacedRecords, type PlacedRecords } from '../../snapshot/postgres/testing/placed-records.ts'
import { defaultGroupLimits } from '../group-set.ts'
import { invoicesOf } from '../memory/testing/stored-partition.ts'
import { aggregateStatement } from './aggregation/aggregate-statement.ts'
import { selectionOf } from './selections.ts'
import {
  countStatement,
  numberedStatement,
  pageStatement,
  rangeStatement,
  rowNumbersStatement,
  type Statement,
} from './statements.ts'
import { dailyCountsStatement } from './totals/daily-counts.ts'

const number: ColumnRef = { kind: 'field', name: 'invoiceNumber', type: 'text' }
const description: ColumnRef = { kind: 'field', name: 'description', type: 'text' }
const label: ColumnRef = { kind: 'custom', label: 'Team', type: 'text' }
const equals = (column: ColumnRef): Predicate => ({
  kind: 'compare',
  column,
  comparison: 'eq',
  comparand: { as: 'text', folded: 'x' },
})
const any: Predicate = { kind: 'any', collection: 'lineItems', condition: equals(description) }

const filters: readonly (readonly [string, Predicate | null])[] = [
  ['no filter', null],
  ['an equality', equals(number)],
  ['a label', equals(label)],
  ['a search', { kind: 'match', column: number, function: 'contains', folded: 'abc' }],
  ['elements', any],
  ['no such elements', { kind: 'not', operand: any }],
  ['elements or a field', { kind: 'or', operands: [any, equals(number), { kind: 'not', operand: any }] }],
]

const skip = citusUrl === undefined && 'TRIPFOLIO_TEST_CITUS names no Citus cluster'

describe('on Citus a query of a client runs in one shard', { skip }, () => {
  let database: TestDatabase
  let records: PlacedRecords
  let placed: PlacedData
  let connection: Client
  before(async () => {
    database = await citusDatabase(citusUrl as string)
    records = await openPlacedRecords(database.url, true)
    placed = await records.place(invoicesOf([{ number: 'N1', custom: ['x'] }], ['Team']))
    connection = new Client({ connectionString: database.url })
    await connection.connect()
  })
  after(async () => {
    await connection.end()
    await records.close()
    await database.drop()
  })

  const tasksOf = async ({ text, values }: Statement): Promise<readonly string[]> => {
    const { rows } = await connection.query<{ 'QUERY PLAN': string }>(`explain ${text}`, [...values])
    return rows.map((row) => row['QUERY PLAN']).filter((line) => line.includes('Task Count'))
  }
  const isOneTask = async (statement: Statement) =>
    assert.deepEqual(
      (await tasksOf(statement)).map((line) => line.trim()),
      ['Task Count: 1'],
    )

  for (const [title, where] of filters) {
    for (const orderBy of [[], [{ column: number, descending: true }]]) {
      const sorted = orderBy.length === 0 ? '' : ', sorted'
      const plan: QueryPlan = { dataset: 'invoices', where, orderBy, paging: null, select: null }

      it(`a page with its total: ${title}${sorted}`, async () => {
        await isOneTask(pageStatement(selectionOf(plan, placed), { offset: 5, limit: 10 }, true))
      })

      it(`a total: ${title}${sorted}`, () => isOneTask(countStatement(selectionOf(plan, placed))))

      it(`row numbers: ${title}${sorted}`, () =>
        isOneTask(rowNumbersStatement(selectionOf(plan, placed), { offset: 5, limit: 10 })))
    }
  }

  for (const [title, where] of filters) {
    for (const groupsOf of ['records', 'elements'] as const) {
      it(`groups of ${groupsOf}: ${title}`, () => {
        const amount: ColumnRef = { kind: 'field', name: 'unitPrice', type: 'decimal' }
        const plan: AggregationPlan = {
          dataset: 'invoices',
          where,
          collection: 'lineItems',
          groupsOf,
          dimensions: [
            { member: 'd', value: { of: 'record', column: label }, part: null },
            {
              member: 'e',
              value: {
                of: groupsOf === 'records' ? 'record' : 'element',
                column: groupsOf === 'records' ? number : description,
              },
              part: null,
            },
          ],
          aggregates: [
            { member: 'n', method: 'count' },
            { member: 's', method: 'sum', value: { of: 'element', column: amount } },
            { member: 'c', method: 'countdistinct', value: { of: 'record', column: number } },
          ],
          orderBy: [{ member: 2, descending: true }],
          paging: { offset: 0, limit: 10 },
        }
        return isOneTask(aggregateStatement(plan, placed, defaultGroupLimits))
      })
    }
  }

  const everything: QueryPlan = { dataset: 'invoices', where: null, orderBy: [], paging: null, select: null }

  it('daily counts', () => isOneTask(dailyCountsStatement(placed)))

  it('a range of row numbers', () =>
    isOneTask(rangeStatement(placed, selectionOf(everything, placed), { from: 0, to: 9 })))

  it('selected members, with labels and the elements of two collections', async () => {
    const { fields, nested, additionalCollections } = datasets.invoices
    const collections = [...(nested === null ? [] : [nested]), ...additionalCollections]
    const plan: QueryPlan = {
      ...everything,
      select: { fields: fields.slice(0, 2), labels: ['Team'], collections },
    }
    await isOneTask(rangeStatement(placed, selectionOf(plan, placed), { from: 0, to: 9 }))
    await isOneTask(pageStatement(selectionOf(plan, placed), { offset: 5, limit: 10 }, false))
    await isOneTask(numberedStatement(placed, selectionOf(plan, placed), [2, 0]))
  })

  it('the records with given row numbers', () =>
    isOneTask(numberedStatement(placed, selectionOf(everything, placed), [2, 0])))
})
