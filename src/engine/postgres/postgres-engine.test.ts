import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { fold } from '../../kernel/text.ts'
import { ask, type TestDatabase, testDatabase } from '../../postgres/testing/postgres-server.ts'
import type { ColumnRef, Predicate, QueryPlan } from '../../query/plan/plan-nodes.ts'
import { type RecordFormat, recordFormats } from '../../schema/record-formats.ts'
import type { Partition } from '../../snapshot/partition.ts'
import type { PlacedSnapshot } from '../../snapshot/postgres/placed-data.ts'
import { recordTables } from '../../snapshot/postgres/record-tables.ts'
import { openPlacedRecords, type PlacedRecords } from '../../snapshot/postgres/testing/placed-records.ts'
import type { ClientData } from '../engine.ts'
import { createMemoryEngine } from '../memory/memory-engine.ts'
import { bookingsOf, invoicesOf, type StoredInvoice } from '../memory/testing/stored-partition.ts'
import { evaluatePlan } from '../testing/evaluate-plan.ts'
import { joined } from '../testing/joined-chunks.ts'
import { readRows } from '../testing/read-rows.ts'
import { writable } from '../writers/write-records.ts'
import { openPostgresEngine, type PostgresEngine } from './postgres-engine.ts'

const everything = { where: null, orderBy: [], paging: null, select: null } as const
const number: ColumnRef = { kind: 'field', name: 'invoiceNumber', type: 'text' }
const source: ColumnRef = { kind: 'field', name: 'obtSource', type: 'text' }
const description: ColumnRef = { kind: 'field', name: 'description', type: 'text' }
const agency: ColumnRef = { kind: 'field', name: 'originatingAgency', type: 'text' }

/** What has ended a literal, a statement or a pattern somewhere. */
const hostileTexts = [
  "'",
  "''",
  '"',
  '\\',
  "\\'",
  "'; drop schema tripfolio_records cascade; --",
  '") or true --',
  '$1',
  '$1::text',
  '$$;select pg_sleep(9)$$',
  ':name',
  '?',
  '{1,2}',
  '{"a",null}',
  'null',
  'NULL',
  '%',
  '_',
  '%_\\%',
  'a\nb',
  '-- x',
  '/* x',
  '\u0000',
  "a\u0000'",
  '\u2019',
  '\uff07',
  '\u{1f600}',
  '\ud83d',
  '\ude00',
  'E\\x27',
  '\\x27',
  'U&"\\0027"',
  ')',
  ']',
  '[.*]+$^',
]

describe('the engine on PostgreSQL', () => {
  let url: string
  let records: PlacedRecords
  let engine: PostgresEngine
  let database: TestDatabase

  before(async () => {
    database = await testDatabase()
    url = database.url
    records = await openPlacedRecords(url, false)
    engine = openPostgresEngine({ url, connections: 2, cpuMs: 20_000 })
  })
  after(async () => {
    await engine.close()
    await records.close()
    await database.drop()
  })

  const snapshotOf = async (partition: Partition): Promise<PlacedSnapshot> => {
    const placed = await records.place(partition)
    return { id: 'one', extractedAt: new Date(0), placed: async () => placed }
  }
  const openInvoices = async (rows: readonly StoredInvoice[], labels: readonly string[] = []) => {
    const partition = invoicesOf(rows, labels)
    const snapshot = await snapshotOf(partition)
    return { data: await engine.open(snapshot, 'C1', 'invoices'), rows: readRows(partition, 'invoices') }
  }

  it('takes hostile texts as values, wherever they are', async () => {
    const labels = hostileTexts.filter((text) => !text.includes('\0') && text.isWellFormed()).sort()
    const { data, rows } = await openInvoices(
      labels.map((text, i) => ({
        number: `N${i}`,
        obtSource: text,
        custom: labels.map((label, l) => (l === i ? text : label.toUpperCase())),
        lines: [{ description: text, price: 1 }],
      })),
      labels,
    )
    const custom: ColumnRef = { kind: 'custom', label: labels[3] as string, type: 'text' }
    const conditionsOf = (column: ColumnRef, folded: string): readonly Predicate[] => [
      ...(['eq', 'gt', 'ge', 'lt', 'le'] as const).map(
        (comparison): Predicate => ({
          kind: 'compare',
          column,
          comparison,
          comparand: { as: 'text', folded },
        }),
      ),
      ...(['contains', 'startswith', 'endswith'] as const).map(
        (test): Predicate => ({ kind: 'match', column, function: test, folded }),
      ),
      { kind: 'one-of', column, comparands: [{ as: 'text', folded }], orNull: true },
    ]
    for (const text of hostileTexts) {
      const conditions: readonly Predicate[] = [
        ...conditionsOf(source, fold(text)),
        ...conditionsOf(custom, fold(text)),
        ...conditionsOf(description, fold(text)).map(
          (condition): Predicate => ({ kind: 'any', collection: 'lineItems', condition }),
        ),
      ]
      for (const where of conditions) {
        const plan: QueryPlan = { ...everything, dataset: 'invoices', where }
        const { total } = await data.execute(plan)
        assert.equal(total, evaluatePlan(rows, plan).total, JSON.stringify(where))
      }
    }
  })

  it('orders by labels with hostile names', async () => {
    const labels = ['"; drop table x; --', "'"]
    const { data } = await openInvoices(
      ['b', 'a', null].map((value, i) => ({ number: `N${i}`, custom: [value, null] })),
      labels,
    )
    const column: ColumnRef = { kind: 'custom', label: labels[0] as string, type: 'text' }
    const plan: QueryPlan = { ...everything, dataset: 'invoices', orderBy: [{ column, descending: true }] }
    const json = String(await joined(writable(await data.execute(plan)).chunks('json', 1000)))
    assert.deepEqual(
      (JSON.parse(`[${json}]`) as { invoiceNumber: string }[]).map(({ invoiceNumber }) => invoiceNumber),
      ['N2', 'N0', 'N1'],
    )
  })

  it('compiles filters as large as the limits allow', async () => {
    const { data, rows } = await openInvoices(Array.from({ length: 30 }, (_, i) => ({ number: `N${i}` })))
    const comparands = Array.from({ length: 1000 }, (_, i) => ({ as: 'text', folded: `n${2 * i}` }) as const)
    const list: Predicate = { kind: 'one-of', column: number, comparands, orNull: false }
    const wide: Predicate = {
      kind: 'or',
      operands: Array.from({ length: 498 }, (_, i): Predicate => {
        return {
          kind: 'compare',
          column: number,
          comparison: 'eq',
          comparand: { as: 'text', folded: `n${i}` },
        }
      }),
    }
    let deep: Predicate = list
    for (let level = 0; level < 64; level++)
      deep = { kind: 'not', operand: { kind: 'and', operands: [deep] } }
    for (const where of [list, wide, deep]) {
      const plan: QueryPlan = { ...everything, dataset: 'invoices', where }
      assert.equal((await data.execute(plan)).total, evaluatePlan(rows, plan).total)
    }
  })

  it('answers a page of a known plan without counting again', async () => {
    const { data } = await openInvoices(Array.from({ length: 9 }, (_, i) => ({ number: `N${i}` })))
    const where: Predicate = { kind: 'match', column: number, function: 'startswith', folded: 'n' }
    const page = (offset: number): QueryPlan => ({
      ...everything,
      dataset: 'invoices',
      where,
      paging: { offset, limit: 5 },
      select: null,
    })
    const pages: number[][] = []
    for (const offset of [0, 5, 10]) {
      const { total, count } = await data.execute(page(offset))
      pages.push([total, count])
    }
    assert.deepEqual(pages, [
      [9, 5],
      [9, 4],
      [9, 0],
    ])
    const texts = await ask<{ query: string }>(
      url,
      "select query from pg_stat_activity where application_name = 'tripfolio engine' and state = 'idle' and datname = current_database()",
    )
    assert.ok(texts.some(({ query }) => query.includes('string_agg') && !query.includes('count(*)')))
  })

  it('knows totals of days and truth values without the database, once some were counted', async () => {
    const partition = bookingsOf(
      Array.from({ length: 40 }, (_, i) => ({ agency: 'A', minute: 1440 * i, isTicketed: i % 2 === 0 })),
    )
    const snapshot = await snapshotOf(partition)
    const data = await engine.open(snapshot, 'C1', 'bookings')
    const from = (day: number, offset: number): QueryPlan => ({
      ...everything,
      dataset: 'bookings',
      where: {
        kind: 'and',
        operands: [
          {
            kind: 'compare',
            column: { kind: 'field', name: 'bookingDate', type: 'date' },
            comparison: 'ge',
            comparand: { as: 'instant', instant: 86_400_000 * day },
          },
          {
            kind: 'compare',
            column: { kind: 'field', name: 'isTicketed', type: 'boolean' },
            comparison: 'eq',
            comparand: { as: 'boolean', value: true },
          },
        ],
      },
      paging: { offset, limit: 3 },
    })
    const totals: number[] = []
    for (let day = 0; day <= 10; day++) totals.push((await data.execute(from(day, 0))).total)
    assert.deepEqual(totals, [20, 19, 19, 18, 18, 17, 17, 16, 16, 15, 15])
    const read = `select 1 from pg_stat_activity where application_name = 'tripfolio engine'
      and state = 'idle' and datname = current_database() and query like 'with cells%'`
    while ((await ask(url, read)).length === 0) await new Promise((resolve) => setImmediate(resolve))
    const placed = await snapshot.placed('C1', 'bookings')
    const { fields } = recordTables('bookings', placed?.generation ?? 0)
    await ask(url, `alter table ${fields} rename to hidden`)
    try {
      assert.equal((await data.execute(from(11, 50))).total, 14)
      assert.equal((await data.execute(from(99, 0))).total, 0)
    } finally {
      await ask(
        url,
        `alter table ${fields.replace(/"[^"]*"$/, 'hidden')} rename to ${fields.split('.').at(-1)}`,
      )
    }
  })

  describe('writes whole collections of many batches like the memory engine', () => {
    let ours: ClientData
    let theirs: ClientData
    const minute = 26_000_000

    before(async () => {
      const partition = bookingsOf(
        Array.from({ length: 700 }, (_, i) => ({
          agency: `Agency ${i % 13}`,
          minute: minute + i,
          isTicketed: i % 3 === 0,
        })),
      )
      ours = await engine.open(await snapshotOf(partition), 'C1', 'itineraries')
      const loaded = { partition, snapshotId: 'one', extractedAt: new Date(0), hold: () => () => undefined }
      const snapshot = {
        id: 'one',
        extractedAt: new Date(0),
        publishedAt: new Date(0),
        currentSince: new Date(0),
        clients: async () => [],
        byteLength: () => 0,
        partition: async () => loaded,
      }
      theirs = await createMemoryEngine().open(snapshot, 'C1', 'itineraries')
    })

    const bytesOf = async (data: ClientData, plan: QueryPlan, format: RecordFormat) => {
      const result = await data.execute(plan)
      const bytes = await joined(writable(result).chunks(format, 5000))
      return { total: result.total, count: result.count, bytes: bytes.toString('hex') }
    }

    const where: Predicate = { kind: 'match', column: agency, function: 'contains', folded: 'y 1' }
    const orderBy = [{ column: agency, descending: true }]
    const plans: readonly (readonly [string, Omit<QueryPlan, 'dataset'>])[] = [
      ['all', everything],
      ['sorted', { ...everything, orderBy }],
      ['filtered', { ...everything, where: { kind: 'not', operand: where } }],
      ['filtered and sorted', { ...everything, where: { kind: 'not', operand: where }, orderBy }],
      ['few of them', { ...everything, where }],
    ]
    for (const [title, plan] of plans) {
      for (const format of recordFormats) {
        it(`${title}, as ${format}`, async () => {
          const asked = { ...plan, dataset: 'itineraries' } as const
          assert.deepEqual(await bytesOf(ours, asked, format), await bytesOf(theirs, asked, format))
        })
      }
    }

    it('and releases the connection of a reader who stops early', async () => {
      for (let i = 0; i < 5; i++) {
        const result = await ours.execute({ ...everything, dataset: 'itineraries', orderBy })
        for await (const _chunk of writable(result).chunks('ndjson', 100)) break
      }
      assert.equal((await ours.execute({ ...everything, dataset: 'itineraries' })).total, 700)
    })
  })
})
