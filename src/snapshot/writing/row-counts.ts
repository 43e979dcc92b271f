/** How many rows a snapshot was made of: what the next refresh is compared with. */
import type { TableName } from '../../schema/extract-tables.ts'
import { type CountedManifest, countsOf } from '../manifest.ts'

/** By table of the extract, rows that were set aside not counted. */
export type TableRows = Readonly<Partial<Record<TableName, number>>>

export type RowCounts = {
  /** Tables that are missing here are not known: earlier versions counted only what is stored as records. */
  readonly tables: TableRows
  /** By client number. */
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
