/** An extract may lack all that only additional fields show: they are null then, their collections empty, and records complete. */
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { createMemoryEngine } from '../../src/engine/memory/memory-engine.ts'
import { joined } from '../../src/engine/testing/joined-chunks.ts'
import { runRefresh } from '../../src/ingest/cycle.ts'
import { defaultQueryLimits } from '../../src/query/limits.ts'
import { answer } from '../../src/read/answer.ts'
import type { ListName } from '../../src/schema/datasets.ts'
import { SharedFiles } from '../../src/snapshot/files/shared-files.ts'
import { SnapshotCatalogue } from '../../src/snapshot/snapshot-catalogue.ts'
import { expectedRecords } from '../fixtures/expected-records.ts'
import type { ExtractTableName } from '../fixtures/extract-rows.ts'
import { fixtureExtract, harbour } from '../fixtures/fixture-extract.ts'
import { writeExtract } from '../fixtures/write-extract.ts'

/** Columns that no record of version 2 needs; labels of the fixture show the other optional columns. */
const absent: { readonly [Table in ExtractTableName]?: readonly string[] } = {
  bookings: ['trip_start_utc', 'trip_end_utc', 'total_air_distance', 'total_air_duration', 'currency_code'],
  invoices: ['department', 'balance_amount', 'currency_code'],
  invoice_lines: ['traveller_name', 'vendor_name', 'ticket_number', 'original_ticket_number'],
}

let folder: string
let catalogue: SnapshotCatalogue

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tripfolio-absent-'))
  const [source, dataFolder] = [join(folder, 'extract'), join(folder, 'data')]
  await writeExtract(source, { ...fixtureExtract, travellers: [], payments: [] }, 'ndjson')
  for (const [table, columns] of Object.entries(absent)) await removeColumns(source, table, columns)
  for (const table of ['travellers', 'payments']) await rm(join(source, `${table}.ndjson`))
  const observe = () => undefined
  await runRefresh({ source, dataFolder, maxRejectShare: 0, retainSnapshots: 1, observe })
  catalogue = new SnapshotCatalogue(dataFolder, observe, new SharedFiles(dataFolder, observe).open)
  await catalogue.refresh()
})
after(() => rm(folder, { recursive: true, force: true }))

async function removeColumns(source: string, table: string, columns: readonly string[]): Promise<void> {
  const path = join(source, `${table}.ndjson`)
  const rows = (await readFile(path, 'utf8')).trim().split('\n')
  const kept = rows.map((row) => {
    const members = Object.entries(JSON.parse(row)).filter(([name]) => !columns.includes(name))
    return `${JSON.stringify(Object.fromEntries(members))}\n`
  })
  await writeFile(path, kept.join(''))
}

async function answered(list: ListName, filter: string): Promise<readonly unknown[]> {
  const principal = { accountId: 'a1', accountName: 'test', clientNumber: harbour }
  const deps = {
    catalogue,
    engine: createMemoryEngine(),
    limits: defaultQueryLimits,
    observe: () => undefined,
  }
  const query = `$filter=${encodeURIComponent(filter)}`
  const parameters = () => [['$filter', filter]] as const
  const found = await answer({ list, principal, query, parameters, version: 2 }, deps)
  return JSON.parse(`[${await joined((await found.execute()).chunks('json', 64 * 1024))}]`)
}

describe('an extract without the columns and tables of additional fields', () => {
  const rows: readonly (readonly [list: ListName, filter: string])[] = [
    ['bookings', 'currencyCode eq null and tripStartUtc eq null and totalAirDistance eq null'],
    ['itineraries', 'not any(travellers) and segmentCount ge 0'],
    ['invoices', 'currencyCode eq null and balanceAmount eq null and department eq null'],
    ['invoices', 'all(lineItems, ticketNumber eq null and travellerName eq null) and not any(payments)'],
  ]
  for (const [list, filter] of rows) {
    it(`has every record in ${list} where ${filter}, as specified`, async () => {
      assert.deepEqual(await answered(list, filter), expectedRecords(fixtureExtract, harbour, list))
    })
  }
})
