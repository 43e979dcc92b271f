/**
 * Compares the row counts of an extract with those of the current snapshot. A child table that was cut off breaks no rule of
 * its rows, so only counts show it. Large losses refuse the refresh; small losses and missing counts become warnings.
 */
import type { Problem } from '../kernel/problem.ts'
import type { TableName } from '../schema/extract-tables.ts'
import type { RefreshWarning } from '../snapshot/manifest.ts'
import type { RowCounts, TableRows } from '../snapshot/writing/row-counts.ts'
import { clientsEmptied, counted, firstOf, lossOf, tableShrunk } from './problems.ts'
import { allOf } from './refusal-reasons.ts'
import { list, outgoing } from './sql-text.ts'
import { stagedTable } from './staging.ts'
import { ingestedTables } from './tables.ts'
import { acceptedRows, type TableCounts } from './validate.ts'
import type { WorkDatabase } from './work-database.ts'

export type LossLimits = {
  /** The largest share of its rows that a table may lose. */
  readonly maxTableShrink: number
  /** The largest share of the clients that may lose all of their bookings or all of their invoices. */
  readonly maxClientsEmptied: number
}

/**
 * In a table of a few rows any change is a large share. Fewer lost rows than this are only a warning, unless no row is left:
 * a failed export often leaves a header without rows.
 */
const FEWEST_LOST_ROWS = 10

/** One client that closes its account is not a sign of a failed export, even where there are few clients. */
const FEWEST_EMPTIED_CLIENTS = 2

/** @returns the rows of each table that will be published */
export const publishedRows = (counts: readonly TableCounts[]): TableRows =>
  Object.fromEntries(counts.map((table) => [table.table, acceptedRows(table)]))

/**
 * @param before null without a current snapshot
 * @param accepted true when an operator accepts the losses of this refresh: then nothing is refused
 * @returns warnings for operators
 * @throws Problem ING113 or ING114, naming every table and the clients
 */
export async function refuseLosses(
  before: RowCounts | null,
  now: TableRows,
  database: WorkDatabase,
  { accepted, ...limits }: LossLimits & { readonly accepted: boolean },
): Promise<readonly RefreshWarning[]> {
  if (before === null) return []
  const shrunk = shrunkTables(before.tables, now, limits.maxTableShrink)
  const emptied = await emptiedClients(before, database)
  const { maxClientsEmptied } = limits
  const share = emptied.clients.length / emptied.before
  const tooMany = emptied.clients.length >= FEWEST_EMPTIED_CLIENTS && share > maxClientsEmptied
  const problem = allOf([
    ...refusedLosses(shrunk, limits.maxTableShrink),
    ...(tooMany ? [clientsEmptied(namesOf(emptied), emptied.before, share, maxClientsEmptied)] : []),
  ])
  if (problem !== undefined && !accepted) throw problem
  return [...notCompared(before), ...shrunk.map(shrunkWarning), ...emptiedWarning(emptied)]
}

/**
 * The tables whose files have lost too many rows, for a refresh that is refused anyway: rows that belong to a lost row are
 * rejected, and the loss is why.
 */
export const lostTables = (
  before: RowCounts | null,
  counts: readonly TableCounts[],
  allowed: number,
): readonly Problem[] =>
  before === null ? [] : refusedLosses(shrunkTables(before.tables, rowsRead(counts), allowed), allowed)

const rowsRead = (counts: readonly TableCounts[]): TableRows =>
  Object.fromEntries(counts.map(({ table, rows }) => [table, rows]))

const refusedLosses = (shrunk: readonly Shrunk[], allowed: number): readonly Problem[] =>
  shrunk
    .filter(({ refused }) => refused)
    .map(({ table, before, now }) => tableShrunk(table, before, now, allowed))

type Shrunk = {
  readonly table: TableName
  readonly before: number
  readonly now: number
  /** Whether the loss refuses the refresh, unless an operator accepts it. */
  readonly refused: boolean
}

function shrunkTables(before: TableRows, now: TableRows, allowed: number): readonly Shrunk[] {
  return ingestedTables.flatMap(({ name: table }) => {
    const [rows = 0, left = 0] = [before[table], now[table]]
    if (rows - left <= allowed * rows) return []
    return [{ table, before: rows, now: left, refused: left === 0 || rows - left >= FEWEST_LOST_ROWS }]
  })
}

const shrunkWarning = ({ table, before, now, refused }: Shrunk): RefreshWarning => ({
  kind: refused ? 'loss-accepted' : 'table-shrunk',
  message: `${lossOf(table, before, now)}${refused ? ', which was accepted' : ''}`,
})

type Lost = { readonly clientNumber: string; readonly bookings: number; readonly invoices: number }
type Emptied = { readonly clients: readonly Lost[]; readonly before: number }

/** Clients that lost all bookings or all invoices, with the counts lost; and how many clients had any records. */
async function emptiedClients({ clients }: RowCounts, database: WorkDatabase): Promise<Emptied> {
  const before = [...clients].filter(([, { bookings, invoices }]) => bookings + invoices > 0)
  const bookings = await clientsIn('bookings', database)
  const invoices = await clientsIn('invoices', database)
  const lost = before
    .map(([clientNumber, had]) => ({
      clientNumber,
      bookings: bookings.has(clientNumber) ? 0 : had.bookings,
      invoices: invoices.has(clientNumber) ? 0 : had.invoices,
    }))
    .filter((had) => had.bookings + had.invoices > 0)
  return { clients: lost, before: before.length }
}

async function clientsIn(
  table: 'bookings' | 'invoices',
  database: WorkDatabase,
): Promise<ReadonlySet<string>> {
  const rows = await database.rows(
    `SELECT DISTINCT ${outgoing('client_number')} FROM ${stagedTable(table)} WHERE fault IS NULL`,
  )
  return new Set(rows.map(([clientNumber]) => String(clientNumber)))
}

const namesOf = ({ clients }: Emptied): readonly string[] =>
  clients.map(({ clientNumber, bookings, invoices }) => {
    const lost = [bookings > 0 && counted(bookings, 'booking'), invoices > 0 && counted(invoices, 'invoice')]
    return `${clientNumber} (${lost.filter((part) => part !== false).join(', ')})`
  })

function emptiedWarning(emptied: Emptied): readonly RefreshWarning[] {
  const count = emptied.clients.length
  if (count === 0) return []
  const who = count === 1 ? '1 client has lost all of its' : `${count} clients have lost all of their`
  const message = `${who} bookings or invoices: ${firstOf(namesOf(emptied))}`
  return [{ kind: CLIENTS_EMPTIED, message, clients: count }]
}

export const CLIENTS_EMPTIED = 'clients-emptied'

function notCompared({ tables }: RowCounts): readonly RefreshWarning[] {
  const unknown = ingestedTables.map(({ name }) => name).filter((name) => tables[name] === undefined)
  if (unknown.length === 0) return []
  const message = `Losses of ${list(unknown)} are unknown: the current snapshot was made by an earlier version, which did not count their rows`
  return [{ kind: 'not-compared', message }]
}
