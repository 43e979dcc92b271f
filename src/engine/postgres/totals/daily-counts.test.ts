import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type TestDatabase, testDatabase } from '../../../postgres/testing/postgres-server.ts'
import type { ColumnRef, Comparand, Comparison, Predicate } from '../../../query/plan/plan-nodes.ts'
import type { DatasetName } from '../../../schema/datasets.ts'
import type { Partition } from '../../../snapshot/partition.ts'
import { openPlacedRecords, type PlacedRecords } from '../../../snapshot/postgres/testing/placed-records.ts'
import { bookingsOf, invoicesOf, type StoredBooking } from '../../memory/testing/stored-partition.ts'
import { evaluatePlan } from '../../testing/evaluate-plan.ts'
import { readRows } from '../../testing/read-rows.ts'
import { openRecordServer, type RecordServer } from '../server.ts'
import {
  countRecords,
  type DailyCounts,
  dailyCountsIn,
  dailyCountsStatement,
  MOST_CELLS,
} from './daily-counts.ts'
import { dayQuestionOf } from './day-question.ts'

const MS_PER_DAY = 86_400_000
const MINUTES_PER_DAY = 1440

const date: ColumnRef = { kind: 'field', name: 'bookingDate', type: 'date' }
const modified: ColumnRef = { kind: 'field', name: 'modifiedAt', type: 'minute' }
const ticketed: ColumnRef = { kind: 'field', name: 'isTicketed', type: 'boolean' }
const international: ColumnRef = { kind: 'field', name: 'isInternational', type: 'boolean' }
const agency: ColumnRef = { kind: 'field', name: 'originatingAgency', type: 'text' }
const locator: ColumnRef = { kind: 'field', name: 'recordLocator', type: 'text' }

const compare = (column: ColumnRef, comparison: Comparison, comparand: Comparand): Predicate => ({
  kind: 'compare',
  column,
  comparison,
  comparand,
})
const on = (comparison: Comparison, days: number, column = date) =>
  compare(column, comparison, { as: 'instant', instant: days * MS_PER_DAY })
const is = (value: boolean, column = ticketed, comparison: Comparison = 'eq') =>
  compare(column, comparison, { as: 'boolean', value })
const named = (folded: string, column = agency, comparison: Comparison = 'eq') =>
  compare(column, comparison, { as: 'text', folded })
const not = (operand: Predicate): Predicate => ({ kind: 'not', operand })
const and = (...operands: readonly Predicate[]): Predicate => ({ kind: 'and', operands })
const or = (...operands: readonly Predicate[]): Predicate => ({ kind: 'or', operands })
const within = (column: ColumnRef, comparands: readonly Comparand[], orNull = false): Predicate => ({
  kind: 'one-of',
  column,
  comparands,
  orNull,
})
const noColumn: Predicate = { kind: 'constant', value: false }
/** Between two minutes. */
const betweenMinutes = on('eq', 3 + 1.5 / MINUTES_PER_DAY, modified)

const comparisons: readonly Comparison[] = ['eq', 'lt', 'le', 'gt', 'ge']

const answered: readonly Predicate[] = [
  ...comparisons.flatMap((comparison) =>
    [-5, 0, 3, 3.5, 6, 9.5, 100, Infinity, -Infinity].map((days) => on(comparison, days)),
  ),
  ...comparisons.flatMap((comparison) => [true, false].map((value) => is(value, international, comparison))),
  and(on('ge', 2), on('le', 7), is(true)),
  and(on('gt', 7), on('lt', 2)),
  and(on('ge', 2), named('ağency ‘1’'), is(false, international)),
  and(on('ge', 2), not(betweenMinutes)),
  and(on('ge', 2), betweenMinutes),
  named('agency'),
  named('nowhere'),
  named('\0'),
  not(named('agency')),
  or(named('agency'), is(true)),
  not(or(named('agency'), and(is(true), is(false, international)))),
  within(agency, [
    { as: 'text', folded: 'agency' },
    { as: 'text', folded: '\ud83d' },
  ]),
  within(ticketed, [{ as: 'boolean', value: true }], true),
  compare(ticketed, 'eq', { as: 'text', folded: 'true' }),
  compare(ticketed, 'ge', { as: 'text', folded: 'g' }),
  compare(ticketed, 'eq', { as: 'number', value: { negative: false, digits: '1', exponent: 0 } }),
  { kind: 'is-null', column: agency },
  not({ kind: 'is-null', column: ticketed }),
  noColumn,
  not(noColumn),
]

/** These need other columns, or days that are no range. */
const unanswered: readonly (readonly [title: string, where: Predicate])[] = [
  ['a text of many values', named('l1', locator)],
  ['a text of many values on some days', and(on('ge', 2), named('l1', locator))],
  ['an order of texts', named('agency', agency, 'ge')],
  ['other days than one', not(on('eq', 3))],
  ['a day or a truth value', or(on('eq', 3), is(true))],
  ['a list of days', within(date, [{ as: 'instant', instant: 0 }])],
  ['days as text', compare(date, 'ge', { as: 'text', folded: '1970' })],
  ['a minute', on('eq', 3, modified)],
  ['minutes from a moment on', on('ge', 3 + 1.5 / MINUTES_PER_DAY, modified)],
  ['a text that is missing', { kind: 'is-null', column: locator }],
  ['a part of a text', { kind: 'match', column: agency, function: 'contains', folded: 'a' }],
  ['elements', { kind: 'any', collection: 'segments', condition: null }],
  [
    'a label with the name of a column',
    compare({ kind: 'custom', label: 'isTicketed', type: 'text' }, 'eq', { as: 'boolean', value: true }),
  ],
]

const bookings: readonly StoredBooking[] = Array.from({ length: 300 }, (_, i) => ({
  agency: ['Agency', 'AGENCY', 'Ağency ‘1’', '"', '\\'][i % 5] as string,
  minute: ((i * 7) % 11) * MINUTES_PER_DAY + i,
  isTicketed: i % 3 === 0,
})).sort(
  (one, other) => Math.floor(one.minute / MINUTES_PER_DAY) - Math.floor(other.minute / MINUTES_PER_DAY),
)

describe('daily counts', () => {
  let database: TestDatabase
  let records: PlacedRecords
  let server: RecordServer
  before(async () => {
    database = await testDatabase()
    records = await openPlacedRecords(database.url, false)
    server = openRecordServer({ url: database.url, connections: 2, cpuMs: Infinity })
  })
  after(async () => {
    await server.close()
    await records.close()
    await database.drop()
  })

  const read = async (partition: Partition): Promise<DailyCounts | null> => {
    const asked = dailyCountsStatement(await records.place(partition))
    const { records: json } = await server.ask(asked, undefined)
    return json === null ? null : dailyCountsIn(`${json}`)
  }

  const totalOf = (partition: Partition, dataset: DatasetName, where: Predicate): number =>
    evaluatePlan(readRows(partition, dataset), { where, orderBy: [], paging: null, select: null }).total

  it('give the total of a filter on days, truth values and few texts', async () => {
    const partition = bookingsOf(bookings)
    // Another client with the same days, whose records do not count.
    await records.place(partition)
    const counts = await read(partition)
    assert.ok(counts !== null)
    for (const where of answered) {
      const question = dayQuestionOf(where, 'bookings')
      assert.ok(question !== null, JSON.stringify(where))
      assert.equal(
        countRecords(counts, question),
        totalOf(partition, 'bookings', where),
        JSON.stringify(where),
      )
    }
  })

  for (const [title, where] of unanswered) {
    it(`do not answer ${title}`, () => assert.equal(dayQuestionOf(where, 'bookings'), null))
  }

  it('are kept for records without truth values', async () => {
    const partition = invoicesOf(Array.from({ length: 7 }, (_, i) => ({ number: `N${i}` })))
    const counts = await read(partition)
    const invoiceDate: ColumnRef = { kind: 'field', name: 'invoiceDate', type: 'date' }
    const where = and(
      on('ge', 0, invoiceDate),
      named('acme', { kind: 'field', name: 'company', type: 'text' }),
    )
    const question = dayQuestionOf(where, 'invoices')
    assert.ok(counts !== null && question !== null)
    assert.equal(countRecords(counts, question), totalOf(partition, 'invoices', where))
    assert.equal(counts.cells, 1)
  })

  it('are not kept when there are too many days', async () => {
    const onDays = (count: number) =>
      bookingsOf(
        Array.from({ length: count }, (_, day) => ({
          agency: 'A',
          minute: day * MINUTES_PER_DAY,
          isTicketed: true,
        })),
      )
    assert.equal((await read(onDays(MOST_CELLS)))?.cells, MOST_CELLS)
    assert.equal(await read(onDays(MOST_CELLS + 1)), null)
  })
})
