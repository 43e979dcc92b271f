/** How many rows a snapshot was made from; the next refresh is compared with these counts. */
import type { TableName } from '../../schema/extract-tables.ts'
import { type CountedManifest, countsOf } from '../manifest.ts'

/** Rows by table of the extract, without rejected rows. */
export type TableRows = Readonly<Partial<Record<TableName, number>>>

export type RowCounts = {
  /** The count of a missing table is unknown: earlier versions counted only rows that are stored as records. */
  readonly tables: TableRows
  /** Counts by client number. */
  readonly clients: ReadonlyMap<string, { readonly bookings: number; readonly invoices: number }>
}

export function rowCountsOf(manifest: CountedManifest): RowCounts {
  const { bookings, segments, invoices, lineItems } = countsOf(manifest)
  const stored: TableRows = {
    clients: manifest.clients.length,
    bookings,
    segments,
    invoices,
    invoice_lines: lineItems,
  }
  return {
    tables: { ...stored, ...manifest.tables },
    clients: new Map(
      manifest.clients.map(({ clientNumber, bookings, invoices }) => [
        clientNumber,
        { bookings: bookings.rows, invoices: invoices.rows },
      ]),
    ),
  }
}
