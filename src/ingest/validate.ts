/**
 * Step 2 of a refresh: applies the rules that compare rows, lists every row that is set aside, and refuses the refresh when
 * too many are.
 */
import type { Json } from '@duckdb/node-api'
import type { Problem } from '../kernel/problem.ts'
import { maskCardNumber } from './card-numbers.ts'
import { noBookings } from './problems.ts'
import type { ReadTable } from './read-extract.ts'
import { allOf, tooManyRejects } from './refusal-reasons.ts'
import type { RejectCauses } from './reject-causes.ts'
import type { Reject, RejectLog } from './reject-log.ts'
import { faultOf } from './rules/field-rules.ts'
import { CLIENT_AMBIGUOUS, clientsSharing } from './rules/invoice-owners.ts'
import { whyNoJson } from './rules/no-json.ts'
import {
  IDENTITY_DUPLICATE,
  LABELS_BEYOND,
  markRows,
  PARENT_REJECTED,
  type RowLimits,
  SUM_RANGE,
} from './rules/row-rules.ts'
import type { MalformedLine } from './sources/table-part.ts'
import { list, outgoingTexts } from './sql-text.ts'
import { FIELD_FAULT, MALFORMED, stagedTable } from './staging.ts'
import type { OffsetTimes } from './stored-values.ts'
import { type IngestedTable, maskingOf, quoteMask } from './tables.ts'
import type { WorkDatabase } from './work-database.ts'

export type TableCounts = {
  readonly table: string
  /** Rows of the extract. */
  readonly rows: number
  /** Rows that were set aside for a fault of their own. */
  readonly rejects: number
  /** Rows that were set aside because the row they belong to was. */
  readonly withParent: number
}

/**
 * Whether a rule may find anything. Planning the rules of empty tables would cost more than the rest of a small refresh. Those of
 * the invoices mark rows of the tables that belong to them, too.
 */
export const mayBreakRules = ({ table }: ReadTable, tables: readonly ReadTable[]): boolean =>
  tables.some(
    ({ table: { name, parent }, rows, malformedLines }) =>
      rows > malformedLines &&
      (name === table.name || (table.name === 'invoices' && parent?.table === 'invoices')),
  )

/** The counts of a table that holds no rows but malformed ones. */
export const countsWithoutRules = ({ table, rows, malformedLines }: ReadTable): TableCounts => ({
  table: table.name,
  rows,
  rejects: malformedLines,
  withParent: 0,
})

/**
 * Marks the rows that break a rule, and lists the rows that are set aside: all of them, or the first 10,000 when the refresh
 * will be refused anyway. Parents are validated before their children.
 */
export async function validateTable(
  read: ReadTable,
  database: WorkDatabase,
  log: RejectLog,
  limits: RowLimits & { readonly offsetTimes: OffsetTimes },
  isRefused: (counts: TableCounts) => boolean,
): Promise<TableCounts> {
  const { table, rows, malformedLines } = read
  const countFaults = `SELECT fault = '${PARENT_REJECTED}' AS with_parent, count(*) FROM ${stagedTable(table.name)}
    WHERE fault IS NOT NULL GROUP BY with_parent`
  await markRows(table, database, limits)
  const faults = await database.rows(countFaults)
  const counted = (withParent: boolean) => Number(faults.find(([found]) => found === withParent)?.[1] ?? 0)
  const rejects = malformedLines + counted(false)
  const counts = { table: table.name, rows, rejects, withParent: counted(true) }
  const most = isRefused(counts) ? LISTED_WHEN_REFUSED : undefined
  if (faults.length > 0) await listFaults(read, database, log, { offsetTimes: limits.offsetTimes, most })
  return counts
}

/** When a column is wrong in every row, more examples do not help. */
const LISTED_WHEN_REFUSED = 10_000

export const hasTooManyRejects = ({ rows, rejects }: TableCounts, maxRejectShare: number): boolean =>
  rejects > maxRejectShare * rows

type Refusing = {
  readonly causes: RejectCauses
  readonly rejectsFile: string
  /** Tables that have lost rows since the current snapshot; told first, because what belongs to those rows is rejected. */
  readonly lost?: readonly Problem[]
}

/**
 * @param rejectsFile where the full list will be
 * @throws Problem ING110 naming every table with too many rejects and the causes, or ING111
 */
export function refuseTooManyRejects(
  tables: readonly TableCounts[],
  maxRejectShare: number,
  before: number,
  { causes, rejectsFile, lost = [] }: Refusing,
): void {
  const bookings = tables.find(({ table }) => table === 'bookings')
  // This comes first, because without bookings every row that belongs to one is rejected, too.
  if (bookings?.rows === 0 && before > 0) throw noBookings(before)
  const refused = tables
    .filter((counts) => hasTooManyRejects(counts, maxRejectShare))
    .map((counts) => ({
      ...counts,
      causes: causes.of(counts.table),
      allListed: counts.rejects <= LISTED_WHEN_REFUSED,
    }))
  const tooMany = refused.length === 0 ? [] : [tooManyRejects(refused, maxRejectShare, rejectsFile)]
  const problem = allOf(tooMany.length === 0 ? [] : [...lost, ...tooMany])
  if (problem !== undefined) throw problem
  if (bookings !== undefined && acceptedRows(bookings) === 0 && before > 0) throw noBookings(before)
}

export const acceptedRows = ({ rows, rejects, withParent }: TableCounts): number =>
  rows - rejects - withParent

/** The reject of a line that could not be parsed. */
export const malformedReject = ({ table, file, row, reason, text }: MalformedLine): Reject => ({
  table: table.name,
  client: null,
  file,
  row,
  key: null,
  field: null,
  rule: MALFORMED,
  value: maskingOf(table) === null ? text : maskCardNumber(text),
  message: `expected a row, but ${reason}`,
})

async function listFaults(
  { table, placeOf, lineOf }: ReadTable,
  database: WorkDatabase,
  log: RejectLog,
  { offsetTimes, most }: { readonly offsetTimes: OffsetTimes; readonly most: number | undefined },
): Promise<void> {
  const keys = keyColumns(table)
  const faulty = database.eachRows(
    `SELECT rowid, fault, ${outgoingTexts(`CASE WHEN fault = '${CLIENT_AMBIGUOUS}' THEN ${clientsSharing(table.name)} ELSE raw END`)},
       ${outgoingTexts(`[${list(keys.map((column) => `${column}::VARCHAR`))}]`)} FROM ${stagedTable(table.name)} AS found
     WHERE fault IS NOT NULL ORDER BY rowid ${most === undefined ? '' : `LIMIT ${most}`}`,
  )
  for await (const rows of faulty) {
    for (const [rowid, fault, raw, values] of rows) {
      const line = lineOf(Number(rowid))
      const found = { raw: texts(raw), values: texts(values), keys, offsetTimes, line }
      const client = found.values[keys.indexOf('client_number')] ?? null
      const place = { table: table.name, client, ...placeOf(Number(rowid)) }
      for (const reject of explain(table, String(fault), found)) log.add({ ...place, ...reject })
    }
  }
}

const keyColumns = ({ schema, parent }: IngestedTable): readonly string[] => [
  ...new Set([...schema.identity, ...(parent?.columns ?? [])]),
]

const texts = (value: Json | undefined): readonly (string | null)[] =>
  Array.isArray(value) ? value.map((text) => (text === null ? null : String(text))) : []

type Explained = Omit<Reject, 'table' | 'client' | 'file' | 'row'>

/** A row that is set aside: its text, or the clients that share its number, and the values of its key columns. */
type Found = {
  readonly raw: readonly (string | null)[]
  readonly values: readonly (string | null)[]
  readonly keys: readonly string[]
  readonly offsetTimes: OffsetTimes
  /** The line as the file has it, where the text was rewritten. */
  readonly line: string | undefined
}

/** One reject for each fault of a row. */
function explain(
  table: IngestedTable,
  fault: string,
  { raw, values: found, keys, offsetTimes, line }: Found,
): readonly Explained[] {
  if (fault === MALFORMED) {
    const message = `expected a row, but ${whyNoJson(line ?? '')}`
    const text = line !== undefined && maskingOf(table) !== null ? maskCardNumber(line) : line
    return [{ key: null, field: null, rule: MALFORMED, value: text ?? raw[0] ?? null, message }]
  }
  if (fault === FIELD_FAULT) return fieldFaults(table, raw, offsetTimes)
  const values = new Map(keys.map((column, at) => [column, found[at] ?? null]))
  const key = Object.fromEntries(table.schema.identity.map((column) => [column, values.get(column) ?? null]))
  if (fault === IDENTITY_DUPLICATE) {
    const message = `expected each ${list(table.schema.identity)} once, found the same in an earlier row`
    return [{ key, field: null, rule: fault, value: null, message }]
  }
  if (fault === SUM_RANGE) {
    const message = 'expected lines whose amounts add up to at most 90071992547.40991, found more'
    return [{ key, field: null, rule: fault, value: null, message }]
  }
  if (fault === LABELS_BEYOND) {
    const message =
      'expected at most as many labels for one client as the setting labelsPerClient allows; in the order of their text, this label comes after them'
    return [{ key, field: 'label', rule: fault, value: key.label ?? null, message }]
  }
  const { parent } = table
  const columns = parent?.columns ?? []
  if (fault === CLIENT_AMBIGUOUS) {
    const value = raw.map((client) => client || 'a client that cannot be read').join(', ')
    const message = `expected one client with this company and invoice_number, found ${value}: give every row of invoice_lines and payments its client_number`
    return [{ key, field: 'client_number', rule: fault, value, message }]
  }
  if (fault === parent?.unowned?.rule) {
    const value = values.get('client_number') ?? null
    const message = `expected the client of the invoice, found '${value}', which has no invoice of this company and invoice_number`
    return [{ key, field: 'client_number', rule: fault, value, message }]
  }
  // The client number is null where an invoice line or a payment does not name its client.
  const reference = columns.flatMap((column) => values.get(column) ?? []).join(' / ')
  const message =
    fault === PARENT_REJECTED
      ? `the row of table ${parent?.table} to which this row belongs was set aside`
      : `expected a row of table ${parent?.table}, found none for ${reference}`
  return [{ key, field: columns.at(-1) ?? null, rule: fault, value: reference, message }]
}

function fieldFaults(
  table: IngestedTable,
  found: readonly (string | null)[],
  offsetTimes: OffsetTimes,
): readonly Explained[] {
  const values = new Map(table.columns.map(({ column }, at) => [column, found[at] ?? null]))
  const key = Object.fromEntries(table.schema.identity.map((column) => [column, values.get(column) ?? null]))
  return table.columns.flatMap((column) => {
    const mask = quoteMask(table.name, column.column)
    const value = values.get(column.column) ?? null
    const fault = faultOf(column, value, mask, offsetTimes)
    return fault === undefined ? [] : [{ key, field: column.column, value, ...fault }]
  })
}
