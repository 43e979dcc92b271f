/**
 * Each client's custom labels, and where a label's value comes from (specification 2.5): the booking's own column of the
 * label's field, whatever its letter case, or else what was captured under exactly that field. Blank values are none.
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
  /** For each label, the booking's own column that it names, if it does. */
  readonly columns: readonly (string | undefined)[]
  /** For each captured field, the labels that show it. */
  readonly byField: ReadonlyMap<string, readonly number[]>
}

/** All accepted clients, ordered by code point of their number: the order in which the collections are built. */
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

/** The values of the booking's own columns, by label; `places` says where in the row they are, or -1. */
export const ownValues = (places: readonly number[], row: readonly FieldValue[]): (string | null)[] =>
  places.map((at) => (at < 0 ? null : (row[at] as string | null)))

/** Fills in what was captured under a field, where the booking's own column had nothing. */
export function fillIn(
  { byField }: ClientLabels,
  values: (string | null)[],
  field: FieldValue,
  captured: FieldValue,
): void {
  for (const at of byField.get(String(field)) ?? []) values[at] ??= captured as string | null
}
