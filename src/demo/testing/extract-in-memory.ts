/**
 * Reads a small demo extract back into memory, for tests of its rows. Rows are grouped and compared by the text of their key
 * columns.
 */

import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseDate } from '../../kernel/calendar.ts'
import type { TableName } from '../../schema/extract-tables.ts'
import { writeDemoExtract } from '../write-demo-extract.ts'

export type Row = Readonly<Record<string, string | number | boolean | null>>
export type Extract = { readonly [Name in TableName]: readonly Row[] }

/** The day of extracts whose content must not depend on the day of the test. */
export const FIXED_DAY = dayOf('2026-01-01')

export function dayOf(date: string): number {
  const day = parseDate(date)
  if (day === undefined) throw new RangeError(`No date: ${date}`)
  return day
}

export async function makeExtract(clients: number, bookings: number, today = FIXED_DAY): Promise<Extract> {
  const out = await mkdtemp(join(tmpdir(), 'demo-content-'))
  try {
    await writeDemoExtract({ out, clients, bookings, seed: 42, today, format: 'ndjson' })
    const rows = async (name: TableName): Promise<Row[]> => {
      const lines = (await readFile(join(out, `${name}.ndjson`), 'utf8')).split('\n')
      return lines.filter((line) => line !== '').map((line) => JSON.parse(line))
    }
    return {
      clients: await rows('clients'),
      custom_field_labels: await rows('custom_field_labels'),
      bookings: await rows('bookings'),
      booking_custom_data: await rows('booking_custom_data'),
      travellers: await rows('travellers'),
      segments: await rows('segments'),
      invoices: await rows('invoices'),
      invoice_lines: await rows('invoice_lines'),
      payments: await rows('payments'),
    }
  } finally {
    await rm(out, { recursive: true })
  }
}

export const keyOf = (row: Row, columns: readonly string[]) => columns.map((column) => row[column]).join('|')
export const keysOf = (rows: readonly Row[], ...columns: string[]) =>
  new Set(rows.map((row) => keyOf(row, columns)))
export const groupsOf = (rows: readonly Row[], ...columns: string[]) =>
  Map.groupBy(rows, (row) => keyOf(row, columns))
export const bookingKey = ['client_number', 'record_locator']
export const invoiceKey = ['client_number', 'company', 'invoice_number']
