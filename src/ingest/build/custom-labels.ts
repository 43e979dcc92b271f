/**
 * Reads each client's custom labels, and finds the value of a label (specification 2.5): the booking's own column that the
 * label's field names, in any letter case, or else the value captured under exactly that field. Blank values do not count.
 */
import { fold } from '../../kernel/text.ts'
import { standardBookingColumns } from '../../schema/extract-tables.ts'
import type { FieldValue } from '../../schema/field.ts'
import { list, outgoing } from '../sql-text.ts'
import { stagedTable } from '../staging.ts'
import type { WorkDatabase } from '../work-database.ts'

export type Client = {
  readonly clientNumber: string
  readonly name: string
  readonly labels: ClientLabels
}

export type ClientLabels = {
  /** Ordered by code point. */
  readonly labels: readonly string[]
  /** For each label, the booking's own column that its field names, if any. */
  readonly columns: readonly (string | undefined)[]
  /** For each captured field, the places of the labels that show it. */
  readonly byField: ReadonlyMap<string, readonly number[]>
}

/** All accepted clients, ordered by the code points of their numbers: the order in which the collections are built. */
export async function readClients(database: WorkDatabase): Promise<readonly Client[]> {
  const labels = await readLabels(database)
  const rows = await database.rows(
    `SELECT ${list(['client_number', 'name'].map(outgoing))} FROM ${stagedTable('clients')} WHERE fault IS NULL ORDER BY client_number`,
  )
  return rows.map(([clientNumber, name]) => ({
    clientNumber: String(clientNumber),
    name: String(name),
    labels: labels.get(String(clientNumber)) ?? noLabels,
  }))
}

const standardColumns = standardBookingColumns.map(({ column }) => column)
const noLabels: ClientLabels = { labels: [], columns: [], byField: new Map() }

async function readLabels(database: WorkDatabase): Promise<ReadonlyMap<string, ClientLabels>> {
  const columns = ['client_number', 'label', 'field']
  const rows = await database.rows(
    `SELECT ${list(columns.map(outgoing))} FROM ${stagedTable('custom_field_labels')}
     WHERE fault IS NULL ORDER BY client_number, label`,
  )
  const byClient = Map.groupBy(rows, ([clientNumber]) => String(clientNumber))
  return new Map(
    [...byClient].map(([clientNumber, ofClient]) => [
      clientNumber,
      labelsOf(ofClient.map(([, label, field]) => ({ label: String(label), field: String(field) }))),
    ]),
  )
}

function labelsOf(rows: readonly { label: string; field: string }[]): ClientLabels {
  const byField = Map.groupBy(rows.keys(), (at) => rows[at]?.field as string)
  return {
    labels: rows.map(({ label }) => label),
    columns: rows.map(({ field }) => standardColumns.find((column) => column === fold(field))),
    byField,
  }
}

/** For each label, the value of the booking's own column; `places` has the column's place in the row, or -1. */
export const ownValues = (places: readonly number[], row: readonly FieldValue[]): (string | null)[] =>
  places.map((at) => (at < 0 ? null : unlessBlank(row[at] as string | null)))

/** Fills in the value captured under a field, for labels without a value from the booking's own column. */
export function fillIn(
  { byField }: ClientLabels,
  values: (string | null)[],
  field: FieldValue,
  captured: FieldValue,
): void {
  const value = unlessBlank(captured as string | null)
  for (const at of byField.get(String(field)) ?? []) values[at] ??= value
}

/** White space alone is what an export writes for a field that was left blank. */
const unlessBlank = (value: string | null): string | null =>
  value === null || !/\P{White_Space}/u.test(value) ? null : value
