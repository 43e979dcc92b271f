/** For tests: a database of records with small snapshots, and a local folder for what refreshes write beside them. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DatabasePool, openPool } from '../../../postgres/connect.ts'
import { ask, type TestDatabase, testDatabase } from '../../../postgres/testing/postgres-server.ts'
import type { StoredName } from '../../../schema/datasets.ts'
import { publishLocators } from '../../testing/data-folder.ts'
import { PlacedCatalogue, type ServedPlacedSnapshot } from '../placed-catalogue.ts'
import { openPostgresDestination, type PostgresDestination } from '../publishing/postgres-destination.ts'
import { RECORDS_SCHEMA, recordTables } from '../record-tables.ts'
import { currentSnapshot } from '../stored-snapshots.ts'

export class RecordDatabase {
  readonly url: string
  readonly folder: string
  readonly pool: DatabasePool
  readonly destination: PostgresDestination
  readonly #database: TestDatabase

  private constructor(database: TestDatabase, folder: string) {
    this.#database = database
    this.folder = folder
    this.url = database.url
    this.pool = openPool({ url: database.url, use: 'tripfolio test', connections: 2 })
    this.destination = openPostgresDestination(database.url, folder)
  }

  /** @param database an empty one; one of the usual server unless given */
  static async make(database?: TestDatabase): Promise<RecordDatabase> {
    const folder = await mkdtemp(join(tmpdir(), 'tripfolio-records-'))
    return new RecordDatabase(database ?? (await testDatabase()), folder)
  }

  async remove(): Promise<void> {
    await this.destination.close()
    await this.pool.close()
    await this.#database.drop()
    await rm(this.folder, { recursive: true, force: true })
  }

  /** Publishes a snapshot in which each client has one booking with the given locator in both versions, and no invoices. */
  async publish(locators: Record<string, string>, keep?: number): Promise<{ id: string; kept: number }> {
    const published = await publishLocators(await this.destination.begin(), locators)
    if (keep !== undefined) await this.destination.removeOldSnapshots(keep)
    return published
  }

  ask<Row extends object>(sql: string, values: unknown[] = []): Promise<readonly Row[]> {
    return ask<Row>(this.url, sql, values)
  }

  async catalogue(): Promise<PlacedCatalogue> {
    const catalogue = new PlacedCatalogue(this.pool)
    await this.announceCurrent(catalogue)
    return catalogue
  }

  async announceCurrent(catalogue: PlacedCatalogue): Promise<void> {
    const stored = await this.pool.withConnection(currentSnapshot)
    if (stored !== null) catalogue.announce(stored)
  }

  /** The locator of a client's first booking; undefined when there is none. */
  async locatorIn(
    snapshot: ServedPlacedSnapshot | null,
    clientNumber: string,
    stored: StoredName = 'bookings',
  ): Promise<string | undefined> {
    const placed = await snapshot?.placed(clientNumber, stored)
    if (!placed || placed.rows === 0) return undefined
    const { records } = recordTables(stored, placed.generation)
    const [row] = await this.ask<{ record: string }>(
      `select front || rest || '}' as record from ${records} where client_number = $1 and ordinal = 0`,
      [clientNumber],
    )
    return JSON.parse(row?.record ?? '').recordLocator
  }

  /** The tables of all generations, such as `bookings_g1`. */
  async generationTables(): Promise<readonly string[]> {
    const tables = await this.ask<{ tablename: string }>(
      `select tablename from pg_tables where schemaname = '${RECORDS_SCHEMA}' and tablename ~ '_g[0-9]+$'`,
    )
    return tables.map(({ tablename }) => tablename).sort()
  }
}
