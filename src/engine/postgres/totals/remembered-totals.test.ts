import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { Client } from 'pg'
import { ask, type TestDatabase, testDatabase } from '../../../postgres/testing/postgres-server.ts'
import type { ColumnRef, Predicate, QueryPlan } from '../../../query/plan/plan-nodes.ts'
import type { PlacedData } from '../../../snapshot/postgres/placed-data.ts'
import { recordTables } from '../../../snapshot/postgres/record-tables.ts'
import { openPlacedRecords, type PlacedRecords } from '../../../snapshot/postgres/testing/placed-records.ts'
import { bookingsOf } from '../../memory/testing/stored-partition.ts'
import { openRecordServer, type RecordServer } from '../server.ts'
import { RememberedTotals } from './remembered-totals.ts'

const ticketed: ColumnRef = { kind: 'field', name: 'isTicketed', type: 'boolean' }
const agency: ColumnRef = { kind: 'field', name: 'originatingAgency', type: 'text' }
const isTicketed: Predicate = {
  kind: 'compare',
  column: ticketed,
  comparison: 'eq',
  comparand: { as: 'boolean', value: true },
}
const planOf = (where: Predicate | null): QueryPlan => ({
  dataset: 'bookings',
  where,
  orderBy: [],
  paging: { offset: 0, limit: 5 },
  select: null,
})

describe('remembered totals', () => {
  let database: TestDatabase
  let records: PlacedRecords
  let server: RecordServer
  let data: PlacedData
  let asked: Promise<unknown>[]
  let totals: RememberedTotals
  /** Remembers what is asked of the database. */
  const watched = (watchedServer: RecordServer): Pick<RecordServer, 'ask'> => ({
    ask: (...statement) => {
      const answer = watchedServer.ask(...statement)
      asked.push(answer)
      return answer
    },
  })
  const settled = async () => {
    await Promise.allSettled(asked)
    await new Promise((resolve) => setImmediate(resolve))
  }

  before(async () => {
    database = await testDatabase()
    records = await openPlacedRecords(database.url, false)
    server = openRecordServer({ url: database.url, connections: 2, cpuMs: Infinity })
    const rows = [true, true, false].map((each) => ({ agency: 'A', minute: 0, isTicketed: each }))
    data = await records.place(bookingsOf(rows))
  })
  after(async () => {
    await server.close()
    await records.close()
    await database.drop()
  })
  beforeEach(() => {
    asked = []
    totals = new RememberedTotals(watched(server), 2)
  })

  it('are those that were counted', () => {
    const plan = planOf({ kind: 'match', column: agency, function: 'contains', folded: 'a' })
    const first = totals.of(plan, data)
    assert.equal(first.known, undefined)
    first.keep(3)
    const otherPage = { ...plan, paging: { offset: 5, limit: 9 } }
    assert.equal(totals.of(otherPage, data).known, 3)
    assert.equal(totals.of(plan, { ...data, version: 'another' }).known, undefined)
  })

  it('are the rows when there is no filter', () => assert.equal(totals.of(planOf(null), data).known, 3))

  it('follow from daily counts, which are read once some questions have come', async () => {
    const plan = planOf(isTicketed)
    for (let question = 0; question < 2; question++) assert.equal(totals.of(plan, data).known, undefined)
    assert.equal(asked.length, 0)
    assert.equal(totals.of(plan, data).known, undefined)
    await settled()
    assert.equal(totals.of(plan, data).known, 2)
    assert.equal(totals.of(planOf({ kind: 'not', operand: isTicketed }), data).known, 1)
    assert.equal(asked.length, 1)
    await totals.close()
  })

  it('are counted each time where daily counts cannot be read, which is tried once', async () => {
    const gone = { ...data, generation: 99 }
    for (let question = 0; question < 10; question++) {
      assert.equal(totals.of(planOf(isTicketed), gone).known, undefined)
      await settled()
    }
    assert.equal(asked.length, 1)
    await assert.rejects(asked[0] as Promise<unknown>, { code: 'PGS105' })
  })

  it('follow from daily counts of the tables with the records, when older ones of the same version are gone', async () => {
    const gone = { ...data, generation: 99 }
    for (let question = 0; question < 3; question++) totals.of(planOf(isTicketed), gone)
    await settled()
    for (let question = 0; question < 3; question++) totals.of(planOf(isTicketed), data)
    await settled()
    assert.equal(totals.of(planOf(isTicketed), data).known, 2)
  })

  describe('of records with thousands of agencies', () => {
    const agencies = 9000
    let many: PlacedData
    before(async () => {
      const rows = Array.from({ length: agencies }, (_, i) => ({
        ...{ agency: `A${i}`, minute: 0, isTicketed: true },
      }))
      many = await records.place(bookingsOf(rows))
    })
    const readCounts = async (of: PlacedData) => {
      for (let question = 0; question < 3; question++) totals.of(planOf(isTicketed), of)
      await settled()
      assert.equal(totals.of(planOf(isTicketed), of).known, agencies)
    }

    it('take memory for each of them, so that few versions are kept', async () => {
      await readCounts(many)
      await readCounts({ ...many, version: 'another' })
      assert.equal(totals.of(planOf(isTicketed), many).known, undefined)
    })

    it('are counted by the database when the filter has much to compare with each of them', async () => {
      await readCounts(many)
      const among = (count: number): Predicate => ({
        kind: 'one-of',
        column: agency,
        comparands: Array.from({ length: count }, (_, i) => ({ as: 'text', folded: `a${i}` })),
        orNull: false,
      })
      const not = (operand: Predicate): Predicate => ({ kind: 'not', operand })
      assert.equal(totals.of(planOf(among(11)), many).known, 11)
      assert.equal(totals.of(planOf(not(among(12))), many).known, undefined)
      const either: Predicate = { kind: 'or', operands: [among(6), isTicketed, not(among(5))] }
      assert.equal(totals.of(planOf(either), many).known, undefined)
    })
  })

  it('are tried again when the database was away', async () => {
    const away = openRecordServer({
      url: 'postgres://nobody@127.0.0.1:1/none',
      connections: 1,
      cpuMs: Infinity,
    })
    const onAway = new RememberedTotals(watched(away), 2)
    for (let question = 0; question < 6; question++) {
      assert.equal(onAway.of(planOf(isTicketed), data).known, undefined)
      await settled()
    }
    assert.equal(asked.length, 2)
    await onAway.close()
    await away.close()
  })

  it('do not wait for daily counts when they are closed', async () => {
    const other = new Client({ connectionString: database.url })
    await other.connect()
    await other.query('begin')
    await other.query(`lock table ${recordTables('bookings', data.generation).fields}`)
    for (let question = 0; question < 3; question++) totals.of(planOf(isTicketed), data)
    assert.equal(asked.length, 1)
    const waits = "select 1 from pg_stat_activity where wait_event_type = 'Lock'"
    while ((await ask(database.url, waits)).length === 0)
      await new Promise((resolve) => setImmediate(resolve))
    await totals.close()
    await assert.rejects(asked[0] as Promise<unknown>)
    assert.equal(totals.of(planOf(isTicketed), data).known, undefined)
    assert.equal(asked.length, 1)
    await other.end()
  })
})
