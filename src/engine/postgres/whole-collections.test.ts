import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { ask, type TestDatabase, testDatabase } from '../../postgres/testing/postgres-server.ts'
import type { ColumnRef, QueryPlan } from '../../query/plan/plan-nodes.ts'
import type { PlacedData, PlacedSnapshot } from '../../snapshot/postgres/placed-data.ts'
import { openPlacedRecords, type PlacedRecords } from '../../snapshot/postgres/testing/placed-records.ts'
import type { ClientData, FinishedBatch } from '../engine.ts'
import { invoicesOf } from '../memory/testing/stored-partition.ts'
import { openPostgresEngine, type PostgresEngine } from './postgres-engine.ts'
import { openRecordServer } from './server.ts'
import { remaining } from './whole-collections.ts'

const ROWS = 900
const CONNECTIONS = 2

const number: ColumnRef = { kind: 'field', name: 'invoiceNumber', type: 'text' }
const all: QueryPlan = { dataset: 'invoices', where: null, orderBy: [], paging: null, select: null }
const starting = { kind: 'match', column: number, function: 'startswith', folded: 'n' } as const
const plans: readonly (readonly [string, QueryPlan])[] = [
  ['all', all],
  ['filtered', { ...all, where: starting }],
  ['sorted', { ...all, orderBy: [{ column: number, descending: true }] }],
]

describe('a whole collection whose reader is slow', () => {
  let database: TestDatabase
  let records: PlacedRecords
  let engine: PostgresEngine
  let placed: PlacedData
  let data: ClientData

  before(async () => {
    database = await testDatabase()
    records = await openPlacedRecords(database.url, false)
    engine = openPostgresEngine({ url: database.url, connections: CONNECTIONS, cpuMs: 20_000, waitMs: 5000 })
    placed = await records.place(invoicesOf(Array.from({ length: ROWS }, (_, i) => ({ number: `N${i}` }))))
    const snapshot: PlacedSnapshot = { id: 'one', extractedAt: new Date(0), placed: async () => placed }
    data = await engine.open(snapshot, 'C1', 'invoices')
  })
  after(async () => {
    await engine.close()
    await records.close()
    await database.drop()
  })

  const open = async (plan: QueryPlan, cancellation?: AbortSignal) => {
    const { records: found } = await data.execute(plan, cancellation)
    assert.ok(found.kind === 'finished')
    const batches = found.batches()
    assert.ok(Symbol.asyncIterator in batches)
    return batches[Symbol.asyncIterator]()
  }
  const first = async (reader: AsyncIterator<FinishedBatch>) => {
    const { value, done } = await reader.next()
    assert.ok(!done)
    return value
  }

  for (const [title, plan] of plans) {
    it(`keeps no other caller waiting, and gets every record: ${title}`, async () => {
      const readers: AsyncIterator<FinishedBatch>[] = []
      let read = 0
      for (let i = 0; i < 2 * CONNECTIONS; i++) {
        const reader = await open(plan)
        readers.push(reader)
        read += (await first(reader)).count
      }
      const page = { ...plan, paging: { offset: 3, limit: 5 } }
      assert.equal((await data.execute(page)).count, 5)
      for (const reader of readers) {
        for (let step = await reader.next(); !step.done; step = await reader.next()) read += step.value.count
      }
      assert.equal(read, 2 * CONNECTIONS * ROWS)
    })

    it(`is read no further when its caller has left: ${title}`, async () => {
      const cancellation = new AbortController()
      const reader = await open(plan, cancellation.signal)
      await first(reader)
      cancellation.abort(new Error('The caller left'))
      const rest = async () => {
        while (!(await reader.next()).done);
      }
      await assert.rejects(rest, /The caller left/)
    })
  }

  it('is the same when its row numbers are read in parts', async () => {
    const server = openRecordServer({ url: database.url, connections: 1, cpuMs: Infinity })
    const [, plan] = plans[2] ?? assert.fail()
    const texts = async (mostRowNumbers: number) => {
      const read: string[] = []
      const rest = { from: 100, total: ROWS }
      const asked = (statement: Parameters<typeof server.ask>[0]) => server.ask(statement, undefined)
      for await (const batch of remaining(plan, placed, rest, asked, mostRowNumbers))
        read.push(batch.toString())
      return read.join('\x1e')
    }
    const whole = await texts(ROWS)
    assert.equal(whole.split('\x1e').length, ROWS - 100)
    assert.equal(await texts(301), whole)
    await server.close()
  })

  it('breaks when its tables are dropped before its end', async () => {
    const readers = await Promise.all(plans.map(([, plan]) => open(plan)))
    for (const reader of readers) await first(reader)
    await ask(database.url, 'drop schema tripfolio_records cascade')
    for (const reader of readers) {
      const rest = async () => {
        while (!(await reader.next()).done);
      }
      await assert.rejects(rest, { code: 'SNP306' })
    }
  })
})
