/** What is asked of the server for selected members, and how its answer is read. The answers themselves: test/conformance. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { QueryPlan } from '../../query/plan/plan-nodes.ts'
import type { RecordShape } from '../../query/record-shape.ts'
import { datasets } from '../../schema/datasets.ts'
import type { PlacedData } from '../../snapshot/postgres/placed-data.ts'
import { selectedRows } from './selected-records.ts'
import { selectionOf } from './selections.ts'
import { numberedStatement, pageStatement, rangeStatement } from './statements.ts'

const labels = Array.from({ length: 5000 }, (_, i) => `Label '${i}'`)
const placed: PlacedData = {
  clientNumber: 'C1',
  stored: 'invoices',
  version: 'v',
  labels,
  generation: 7,
  rows: 9,
  elements: 9,
}
const { fields, nested } = datasets.invoices

function statementsFor(select: RecordShape | null): readonly string[] {
  const plan: QueryPlan = { dataset: 'invoices', where: null, orderBy: [], paging: null, select }
  const selection = () => selectionOf(plan, placed)
  return [
    pageStatement(selection(), { offset: 0, limit: 9 }, false).text,
    numberedStatement(placed, selection(), [0]).text,
    rangeStatement(placed, selection(), { from: 0, to: 9 }).text,
  ]
}

const narrow: RecordShape = {
  fields: fields.filter(({ name }) => name === 'invoiceNumber' || name === 'dueDate'),
  labels: ["Label '17'", "Label '4999'"],
  collections: [{ name: 'lineItems', fields: nested?.fields.slice(1, 2) ?? [] }],
}

describe('a statement for selected members', () => {
  it('reads their columns, and neither finished records nor other columns', () => {
    for (const text of statementsFor(narrow)) {
      assert.match(text, /"invoices_g7" r/)
      assert.match(
        text,
        /r\."invoiceNumber", r\."dueDate", array\[r\."labels"\[18\], r\."labels"\[5000\]\]::text\[\]/,
      )
      assert.match(text, /json_agg\(json_build_array\(e\."lineType"\) order by e\.position\)/)
      assert.doesNotMatch(text, /front|_g7_records|quantity|Label/)
    }
  })

  it('reads elements only of collections that are selected, each from its table', () => {
    const payments = {
      name: 'payments',
      fields: datasets.invoices.additionalCollections[0]?.fields ?? [],
    } as const
    for (const text of statementsFor({ ...narrow, labels: null, collections: [payments] })) {
      assert.match(text, /from "tripfolio_records"\."invoices_g7_payments" e where e\.client_number = \$1/)
      assert.doesNotMatch(text, /_elements"|labels/)
    }
  })

  it('reads finished records when all are whole', () => {
    for (const text of statementsFor(null)) assert.match(text, /"invoices_g7_records" r/)
  })
})

describe('the rows of a batch', () => {
  it('have their values, labels and elements in the order of the selection', () => {
    const kind = { dataset: 'invoices', labels, shape: narrow } as const
    const text = '["I1", 20000, ["a", null], [["FARE"], \n ["TAX"]]]\x1e["\\u2028", 1, null, []]'
    assert.deepEqual(selectedRows(kind, Buffer.from(text)), [
      { values: ['I1', 20_000], custom: ['a', null], collections: [[['FARE'], ['TAX']]], lists: [] },
      { values: ['\u2028', 1], custom: [], collections: [[]], lists: [] },
    ])
  })
})
