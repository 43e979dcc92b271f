/**
 * What the database has when a refresh begins: the current snapshot to compare with, and the collections of all retained
 * snapshots. A collection that one of them has is not written again.
 */
import type { ClientBase } from 'pg'
import type { StoredName } from '../../../schema/datasets.ts'
import type { RowCounts } from '../../writing/row-counts.ts'
import { RECORDS_SCHEMA } from '../record-tables.ts'
import { RECORDS_FORMAT, type StoredSnapshot } from '../snapshot-tables.ts'
import { comparedSnapshot } from '../stored-snapshots.ts'

/** A row of `client_data`. */
export type Collection = {
  readonly clientNumber: string
  readonly stored: StoredName
  readonly version: string
  readonly generation: number
  readonly rows: number
  readonly elements: number
  readonly bytes: number
}

type KnownCollection = Collection & { readonly validFrom: number; readonly validTo: number | null }

export type Known = {
  /** The current snapshot, of any format. */
  readonly current: StoredSnapshot | null
  /** Number of the newest snapshot, current or not; 0 when there is none. */
  readonly newest: number
  readonly newestId: string | undefined
  /** False when the newest snapshot has records of another format: all are written again. */
  readonly canReuse: boolean
  /** By client and collection, see {@link keyOf}; the newest last. */
  readonly collections: ReadonlyMap<string, readonly KnownCollection[]>
  /** Names of the clients of the newest snapshot. */
  readonly names: ReadonlyMap<string, string>
  /** Rows of each generation and collection, dead ones included. */
  readonly totals: readonly {
    readonly generation: number
    readonly stored: StoredName
    readonly rows: number
  }[]
}

export const keyOf = ({ clientNumber, stored }: Pick<Collection, 'clientNumber' | 'stored'>): string =>
  `${stored} ${clientNumber}`

export async function readKnown(connection: ClientBase): Promise<Known> {
  const read = async <Row extends object>(sql: string): Promise<Row[]> =>
    (await connection.query<Row>(sql)).rows
  const ids = await read<{ id: string; sequence: number; format: number }>(
    `select id, sequence, format from ${RECORDS_SCHEMA}.snapshots order by sequence desc`,
  )
  const collections = await read<KnownCollection>(
    `select client_number as "clientNumber", stored, version, generation, rows, elements, bytes::float8 as bytes,
       valid_from as "validFrom", valid_to as "validTo"
     from ${RECORDS_SCHEMA}.client_data order by valid_from`,
  )
  const names = await read<{ number: string; name: string }>(
    `select client_number as number, name from ${RECORDS_SCHEMA}.clients where valid_to is null`,
  )
  // Sorted as texts: the largest id may be older than the newest snapshot when a clock ran ahead.
  const newestId = ids
    .map(({ id }) => id)
    .sort()
    .at(-1)
  return {
    current: await comparedSnapshot(connection),
    newest: ids[0]?.sequence ?? 0,
    newestId,
    canReuse: ids[0]?.format === RECORDS_FORMAT,
    collections: Map.groupBy(collections, keyOf),
    names: new Map(names.map(({ number, name }) => [number, name])),
    totals: await read(`select generation, stored, rows::float8 as rows from ${RECORDS_SCHEMA}.generations`),
  }
}

/** The collections of the newest snapshot: those that the next one continues or ends. */
export const openOnes = ({ collections }: Known): ReadonlyMap<string, KnownCollection> =>
  new Map(
    [...collections].flatMap(([key, versions]) => {
      const open = versions.findLast(({ validTo }) => validTo === null)
      return open === undefined ? [] : [[key, open] as const]
    }),
  )

/** How many rows the current snapshot has, for the guards against losses. */
export function rowCountsOf({ current, collections }: Known): RowCounts | null {
  if (current === null) return null
  const clients = new Map<string, { bookings: number; invoices: number }>()
  const isCurrent = ({ validFrom, validTo }: KnownCollection) =>
    validFrom <= current.sequence && (validTo === null || validTo > current.sequence)
  for (const versions of collections.values()) {
    for (const collection of versions.filter(isCurrent)) {
      const { clientNumber, stored, rows } = collection
      if (stored !== 'bookings' && stored !== 'invoices') continue
      clients.set(clientNumber, { bookings: 0, invoices: 0, ...clients.get(clientNumber), [stored]: rows })
    }
  }
  const { bookings, segments, invoices, lineItems } = current.counts
  const counted = { clients: current.clients, bookings, segments, invoices, invoice_lines: lineItems }
  return { tables: { ...counted, ...current.tables }, clients }
}
