/** Where the limits of losses lie. `test/process/ingest-losses.test.ts` shows that a refresh keeps to them. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { TableRows } from '../snapshot/writing/row-counts.ts'
import { publishedRows, refuseLosses } from './losses.ts'
import { prepareStaging, stagedTable } from './staging.ts'
import { ingestedTables } from './tables.ts'
import { openWorkDatabase, type WorkDatabase } from './work-database.ts'

let root: string
let database: WorkDatabase
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'tripfolio-losses-'))
  database = await openWorkDatabase(root, { threads: 1 })
  await prepareStaging(database, ingestedTables)
})
after(async () => {
  await database.close()
  await rm(root, { recursive: true })
})

const usual = { maxTableShrink: 0.3, maxClientsEmptied: 0.1, accepted: false }

/** Every table has as many rows as before, unless told otherwise. */
const kept = Object.fromEntries(ingestedTables.map(({ name }) => [name, 40]))

const shrinks = (before: TableRows, now: TableRows, limits = usual) =>
  refuseLosses(
    { tables: { ...kept, ...before }, clients: new Map() },
    { ...kept, ...before, ...now },
    database,
    limits,
  )

describe('a table', () => {
  it('may lose exactly the allowed share, and not one row more', async () => {
    assert.deepEqual(await shrinks({ segments: 40 }, { segments: 28 }), [])
    await assert.rejects(shrinks({ segments: 40 }, { segments: 27 }), {
      code: 'ING113',
      message: /'segments' has 27 rows and had 40 in the current snapshot: it lost 32\.5 %/,
    })
  })

  it('may lose the share that the setting allows, and not one row more', async () => {
    const limits = { ...usual, maxTableShrink: 0.75 }
    assert.deepEqual(await shrinks({ segments: 40 }, { segments: 10 }, limits), [])
    await assert.rejects(shrinks({ segments: 40 }, { segments: 9 }, limits), { code: 'ING113' })
  })

  it('may lose nine rows of few, and not ten', async () => {
    assert.equal((await shrinks({ payments: 12 }, { payments: 3 }))[0]?.kind, 'table-shrunk')
    await assert.rejects(shrinks({ payments: 12 }, { payments: 2 }), { code: 'ING113' })
  })

  it('has the rows that are published: none that was set aside, for its own fault or with its parent', () => {
    const counts = [{ table: 'segments', rows: 10, rejects: 2, withParent: 3 }]
    assert.deepEqual(publishedRows(counts), { segments: 5 })
  })

  it('of a few rows may lose any but the last one, which is only warned of', async () => {
    assert.deepEqual(await shrinks({ payments: 3 }, { payments: 1 }), [
      {
        kind: 'table-shrunk',
        message: "Table 'payments' has 1 row and had 3 in the current snapshot: it lost 66.6 %",
      },
    ])
    await assert.rejects(shrinks({ payments: 1 }, { payments: 0 }), {
      code: 'ING113',
      message: /'payments' has 0 rows and had 1/,
    })
  })
})

/** So many clients with 2 bookings and 2 invoices each, of which these clients keep what is said. */
async function clientsLeft(
  count: number,
  left: Readonly<Record<string, readonly ('bookings' | 'invoices')[]>>,
): ReturnType<typeof refuseLosses> {
  const numbers = Array.from({ length: count }, (_, at) => `L${String(at).padStart(3, '0')}`)
  for (const table of ['bookings', 'invoices'] as const) {
    await database.run(`DELETE FROM ${stagedTable(table)}`)
    const present = numbers.filter((number) => left[number]?.includes(table) ?? true)
    for (const fault of ['NULL', "'field'"]) {
      // A row that is set aside is not there.
      const rows = fault === 'NULL' ? present : numbers
      const values = rows.flatMap((number) => [`('${number}', ${fault})`, `('${number}', ${fault})`])
      await database.run(
        `INSERT INTO ${stagedTable(table)} (client_number, fault) VALUES ${values.join(', ')}`,
      )
    }
  }
  const clients = new Map(numbers.map((number) => [number, { bookings: 2, invoices: 2 }]))
  return refuseLosses({ tables: kept, clients }, kept, database, usual)
}

describe('clients that lose everything', () => {
  it('are refused by number when they are two of three, however few their rows', async () => {
    await assert.rejects(clientsLeft(3, { L000: [], L002: [] }), {
      code: 'ING114',
      message:
        /2 of the 3 clients with records have lost all of their bookings or all of their invoices \(66\.6 %, more than the allowed 10 %\): L000 \(2 bookings, 2 invoices\), L002 \(2 bookings, 2 invoices\)/,
    })
  })

  it('are refused when only their invoices or only their bookings are gone', async () => {
    await assert.rejects(clientsLeft(4, { L000: ['bookings'], L001: ['invoices'] }), {
      code: 'ING114',
      message: /L000 \(2 invoices\), L001 \(2 bookings\)/,
    })
  })

  it('are warned of when they are one of twenty, or two', async () => {
    assert.deepEqual(await clientsLeft(20, { L007: [] }), [
      {
        kind: 'clients-emptied',
        message: '1 client has lost all of its bookings or invoices: L007 (2 bookings, 2 invoices)',
        clients: 1,
      },
    ])
    assert.partialDeepStrictEqual(await clientsLeft(20, { L007: [], L008: [] }), [{ clients: 2 }])
    await assert.rejects(clientsLeft(20, { L007: [], L008: [], L009: [] }), { code: 'ING114' })
  })

  it('are warned of when it is the only one, among three', async () => {
    assert.partialDeepStrictEqual(await clientsLeft(3, { L001: [] }), [
      { kind: 'clients-emptied', clients: 1 },
    ])
  })
})
