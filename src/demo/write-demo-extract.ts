/**
 * Writes a realistic extract of an imaginary travel agency; the same seed and day give the same rows. Refuses numbers out of range
 * and folders with other files; a run that fails, is aborted or killed leaves no extract. Ingestion reads it like any other
 * extract.
 */

import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { extractTables, type TableName } from '../schema/extract-tables.ts'
import { writeBooking } from './content/booking.ts'
import { bookingsInDateOrder, daysBefore } from './content/booking-days.ts'
import { type Client, makeClients } from './content/client-list.ts'
import { startInvoiceNumbers, writeInvoices } from './content/invoices.ts'
import { LOCATORS_PER_CLIENT } from './content/locators.ts'
import { createRandom } from './content/random.ts'
import { type DemoFormat, openExtractFolder } from './extract-folder.ts'
import type { WriteRow } from './extract-rows.ts'
import { convertToParquet } from './parquet.ts'
import { cannotWrite, numberOutOfRange } from './problems.ts'
import { TableFile } from './table-file.ts'
import type { TextFormat } from './text-formats.ts'

export type DemoRequest = {
  /** The folder to write to; created when it does not exist. */
  readonly out: string
  readonly clients: number
  readonly bookings: number
  readonly seed: number
  /** Days since 1970-01-01. The extract has what a warehouse writes on the morning of this day: trips of the next weeks, too. */
  readonly today: number
  readonly format: DemoFormat
  readonly onProgress?: ((progress: DemoProgress) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

/** How many of the bookings are written, or of the tables converted. */
export type DemoProgress = {
  readonly stage: 'bookings' | 'parquet'
  readonly done: number
  readonly total: number
}

export type DemoSummary = {
  readonly tables: readonly DemoTable[]
  /** In the order of their numbers. The first is the second largest: a good one to start with. */
  readonly clients: readonly DemoClient[]
  readonly milliseconds: number
}

export type DemoTable = { readonly name: TableName; readonly rows: number; readonly bytes: number }

export type DemoClient = { readonly clientNumber: string; readonly name: string; readonly bookings: number }

/** The current date, UTC. */
export const currentDay = (): number => Math.floor(Date.now() / 86_400_000)

export async function writeDemoExtract(request: DemoRequest): Promise<DemoSummary> {
  const started = performance.now()
  const { out, format, signal } = request
  checkNumbers(request)
  signal?.throwIfAborted()
  try {
    const folder = await openExtractFolder(out)
    const files = openTables(folder.partial, format === 'ndjson' ? 'ndjson' : 'csv')
    try {
      const clients = await writeRows(request, files)
      for (const file of files.values()) await file.close()
      if (format === 'parquet') await toParquet(request, files, folder.partial)
      const tables = await measured(files, folder.partial, format)
      signal?.throwIfAborted()
      await folder.publish(format)
      return { tables, clients: clients.map(shown), milliseconds: Math.round(performance.now() - started) }
    } catch (cause) {
      for (const file of files.values()) await file.abandon()
      await folder.discard()
      throw cause
    }
  } catch (cause) {
    signal?.throwIfAborted()
    throw isSystemError(cause) ? cannotWrite(out, cause) : cause
  }
}

const MOST_CLIENTS = 99_999

function checkNumbers({ clients, bookings, seed }: DemoRequest): void {
  refuseOutside('clients', clients, 1, MOST_CLIENTS)
  refuseOutside('bookings', bookings, 0, LOCATORS_PER_CLIENT)
  refuseOutside('seed', seed, 0, Number.MAX_SAFE_INTEGER)
}

function refuseOutside(name: string, found: number, least: number, most: number): void {
  const inside = Number.isInteger(found) && found >= least && found <= most
  if (!inside) throw numberOutOfRange(name, least, most, found)
}

type TableFiles = ReadonlyMap<TableName, TableFile>

function openTables(folder: string, format: TextFormat): TableFiles {
  return new Map(
    Object.values(extractTables).map((table) => [
      table.name,
      new TableFile(table, join(folder, `${table.name}.${format}`), format),
    ]),
  )
}

/** Bookings between two checks of the disk, the signal and the progress: a few milliseconds of work. */
const BATCH = 100

async function writeRows(request: DemoRequest, files: TableFiles): Promise<readonly Client[]> {
  const { clients: clientCount, bookings, seed, today, onProgress, signal } = request
  const random = createRandom(seed)
  const write: WriteRow = (table, row) => files.get(table)?.write(row)
  const clients = makeClients(random, clientCount, bookings)
  const written = clients.map(() => 0)
  const numbers = startInvoiceNumbers()
  const days = daysBefore(today)
  let number = 0
  writeClients(clients, write)
  for (const { client: index, day } of bookingsInDateOrder(random, clients, days)) {
    const client = clients[index]
    const numberOfClient = written[index]
    if (client === undefined || numberOfClient === undefined) throw new RangeError(`No client ${index}`)
    const sale = writeBooking(random, client, { number, numberOfClient, day, lastDay: days.last }, write)
    writeInvoices(random, sale, numbers, write)
    written[index] = numberOfClient + 1
    if (++number % BATCH !== 0) continue
    for (const file of files.values()) await file.ready()
    signal?.throwIfAborted()
    onProgress?.({ stage: 'bookings', done: number, total: bookings })
  }
  onProgress?.({ stage: 'bookings', done: bookings, total: bookings })
  return clients
}

function writeClients(clients: readonly Client[], write: WriteRow): void {
  for (const { clientNumber, name, labels } of clients) {
    write('clients', { clientNumber, name })
    for (const { field, label } of labels) write('custom_field_labels', { clientNumber, field, label })
  }
}

async function toParquet(request: DemoRequest, files: TableFiles, folder: string): Promise<void> {
  const { out, onProgress, signal } = request
  const onTable = (done: number) => onProgress?.({ stage: 'parquet', done, total: files.size })
  try {
    await convertToParquet([...files.values()], folder, onTable, signal)
  } catch (cause) {
    throw cannotWrite(out, cause)
  }
}

function measured(files: TableFiles, folder: string, format: DemoFormat): Promise<DemoTable[]> {
  return Promise.all(
    [...files.values()].map(async ({ table: { name }, rows }) => {
      const { size } = await stat(join(folder, `${name}.${format}`))
      return { name, rows, bytes: size }
    }),
  )
}

const shown = ({ clientNumber, name, bookings }: Client): DemoClient => ({ clientNumber, name, bookings })

/** True for errors of the operating system; any other error that is not a Problem is a defect. */
const isSystemError = (cause: unknown): boolean => cause instanceof Error && 'syscall' in cause
