/**
 * Checks, right before a record is written, that each of its rows belongs to the client whose file it goes to. The joins
 * ensure this already; if one of them were wrong, the refresh would end here, and no client would get another client's data.
 */
import type { FieldValue } from '../../schema/field.ts'
import { foreignPart } from '../problems.ts'
import {
  CLIENT_COLUMN,
  type NamedColumn,
  ofBooking,
  type RecordColumns,
  type RecordKind,
} from './record-streams.ts'

type Row = readonly FieldValue[]

/** The rows of one record. */
export type RecordRows = {
  readonly record: Row
  readonly captured: readonly Row[]
  readonly elements: readonly Row[]
  readonly parties: readonly Row[]
}

/** The table names of the rows, for messages. */
const tablesOf: {
  readonly [Kind in RecordKind]: Readonly<Record<'captured' | 'elements' | 'parties', string>>
} = {
  bookings: { captured: 'booking_custom_data', elements: 'segments', parties: 'travellers' },
  invoices: { captured: 'booking_custom_data', elements: 'invoice_lines', parties: 'payments' },
}
const parts = ['captured', 'elements', 'parties'] as const

/** @throws Problem ING128, from the function that it returns, when a row is of another client */
export function ownerCheck(
  kind: RecordKind,
  { records, captured, elements, parties }: RecordColumns,
): (clientNumber: string, rows: RecordRows) => void {
  const placeIn = ({ columns }: { readonly columns: readonly NamedColumn[] }, name = CLIENT_COLUMN.name) => {
    const place = columns.findIndex((column) => column.name === name)
    if (place < 0)
      throw new RangeError(`The rows of the ${kind} have no column '${name}' that names their client`)
    return place
  }
  const own = placeIn(records)
  const booking = kind === 'bookings' ? own : placeIn(records, ofBooking(CLIENT_COLUMN.name))
  const places = { captured: placeIn(captured), elements: placeIn(elements), parties: placeIn(parties) }
  const tables = tablesOf[kind]
  const check = (clientNumber: string, table: string, found: FieldValue | undefined) => {
    if (found !== clientNumber) throw foreignPart(clientNumber, table, String(found))
  }
  return (clientNumber, rows) => {
    check(clientNumber, kind, rows.record[own])
    // The column is null for an invoice without a booking.
    if (rows.record[booking] !== null) check(clientNumber, 'bookings', rows.record[booking])
    for (const part of parts) {
      for (const row of rows[part]) check(clientNumber, tables[part], row[places[part]])
    }
  }
}
