/** Published snapshots whose records are in PostgreSQL, as a source of manifests. Their entries name no files. */
import { type DatabasePool, openPool } from '../../postgres/connect.ts'
import type { StoredName } from '../../schema/datasets.ts'
import { FORMAT_VERSION } from '../format/file-format.ts'
import { damaged, type Examined, type FileEntry, type Manifest } from '../manifest.ts'
import { snapshotGone } from '../problems.ts'
import type { ManifestSource } from '../snapshot-source.ts'
import { besidePath } from './publishing/beside-folder.ts'
import { RECORDS_SCHEMA } from './record-tables.ts'
import { type StoredSnapshot, validAt } from './snapshot-tables.ts'
import { allSnapshots, currentSnapshot, snapshotOf } from './stored-snapshots.ts'

/** A server that says nothing for so long counts as away. */
const ANSWER_MS = 30_000

/** @param dataFolder has the files that refreshes of this machine wrote beside the records */
export function openPlacedManifests(
  url: string,
  dataFolder: string,
): ManifestSource & { readonly close: () => Promise<void> } {
  const pool = openPool({ url, use: 'tripfolio snapshots', connections: 1, answerMs: ANSWER_MS })
  return { ...placedManifestSource(pool, dataFolder), close: pool.close }
}

const placedManifestSource = (pool: DatabasePool, dataFolder: string): ManifestSource => ({
  currentId: async () => (await pool.withConnection(currentSnapshot))?.id,
  ids: async () => (await pool.withConnection(allSnapshots)).map(({ id }) => id),
  examine: (id) => examinePlaced(pool, id),
  fileBeside: async (id, name) => besidePath(dataFolder, id, name),
  parallelLoads: 1,
})

/** The manifest of the current snapshot; null while there is none. */
export async function usablePlaced(pool: DatabasePool): Promise<Manifest | null> {
  const current = await pool.withConnection(currentSnapshot)
  return current === null ? null : manifestOf(pool, current)
}

async function examinePlaced(pool: DatabasePool, id: string): Promise<Examined> {
  const stored = await pool.withConnection((connection) => snapshotOf(connection, id))
  if (stored === null) return damaged(snapshotGone(id))
  return { state: 'intact', manifest: await manifestOf(pool, stored), problem: null }
}

type Row = {
  readonly clientNumber: string
  readonly name: string
  readonly stored: StoredName
  readonly version: string
  readonly rows: number
  readonly elements: number
  readonly bytes: number
}

async function manifestOf(pool: DatabasePool, snapshot: StoredSnapshot): Promise<Manifest> {
  const { rows } = await pool.withConnection((connection) =>
    connection.query<Row>(
      `select client_number as "clientNumber", name, stored, version, rows, elements, bytes::float8 as bytes
       from (select client_number, name from ${RECORDS_SCHEMA}.clients where ${validAt('$1')}) as known
       join (select * from ${RECORDS_SCHEMA}.client_data where ${validAt('$1')}) as data using (client_number)
       order by client_number`,
      [snapshot.sequence],
    ),
  )
  const clients = [...Map.groupBy(rows, ({ clientNumber }) => clientNumber)].map(([clientNumber, own]) => {
    const entryOf = (stored: StoredName): FileEntry => {
      const row = own.find((each) => each.stored === stored)
      const { version = '', rows = 0, elements = 0, bytes = 0 } = row ?? {}
      return { path: '', sha256: version, rows, elements, bytes }
    }
    return {
      clientNumber,
      name: own[0]?.name ?? '',
      bookings: entryOf('bookings'),
      invoices: entryOf('invoices'),
      'bookings-v1': entryOf('bookings-v1'),
      'invoices-v1': entryOf('invoices-v1'),
    }
  })
  const { id, extractedAt, publishedAt, rejects, tables, invoicesWithoutBooking, warnings } = snapshot
  return {
    format: FORMAT_VERSION,
    id,
    extractedAt,
    publishedAt,
    rejects,
    clients,
    tables,
    ...(invoicesWithoutBooking !== null && { invoicesWithoutBooking }),
    warnings: [...warnings],
  }
}
