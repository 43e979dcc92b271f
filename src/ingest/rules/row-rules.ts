/**
 * The rules that compare a row with other rows, as SQL over the staged tables: its parent exists and was accepted, its client
 * is known, and no earlier row of its client has its identity. Each rule marks the rows that break it; the first one counts.
 */
import { MAX_SCALED } from '../../kernel/decimal.ts'
import { list } from '../sql-text.ts'
import { stagedTable } from '../staging.ts'
import type { IngestedTable, Parent } from '../tables.ts'
import type { WorkDatabase } from '../work-database.ts'
import { nameOwners, someWithoutClient } from './invoice-owners.ts'

/** The mark of a row whose parent was set aside: the row is set aside, too, and is not counted as a reject of its table. */
export const PARENT_REJECTED = 'parent.rejected'
export const IDENTITY_DUPLICATE = 'identity.duplicate'

/** The mark of an invoice whose lines add up to more than a stored amount can hold. */
export const SUM_RANGE = 'lines.sum'

/** The mark of a label that exceeds the number that one client may have. */
export const LABELS_BEYOND = 'labels.count'

/** Limits of these rules that an operator sets. */
export type RowLimits = { readonly labelsPerClient: number }

/** Marks the rows that break a rule. Tables of parents come before those of their children. */
export async function markRows(
  table: IngestedTable,
  database: WorkDatabase,
  { labelsPerClient }: RowLimits,
): Promise<void> {
  const parent = table.parent === undefined ? [] : [parentAccepted(table, table.parent)]
  const identity = table.schema.identity.length === 0 ? [] : [identityUnique(table)]
  if (table.name === 'invoices') await markInvoices(database, parent, identity)
  else {
    const labels = table.name === 'custom_field_labels' ? [labelsWithin(labelsPerClient)] : []
    await database.run([...parent, ...identity, ...labels].join(';\n'))
  }
}

async function markInvoices(
  database: WorkDatabase,
  parent: readonly string[],
  identity: readonly string[],
): Promise<void> {
  const ask = `SELECT ${someWithoutClient}, ${someSumMayBeBeyond}`
  const [[withoutClient, beyond] = []] = await database.rows([...parent, ask].join(';\n'))
  await nameOwners(database, withoutClient === true)
  await database.run([...identity, ...(beyond === true ? [sumsRepresentable] : [])].join(';\n'))
}

function parentAccepted(table: IngestedTable, { table: parent, columns, rule, unowned }: Parent): string {
  const child = stagedTable(table.name)
  const parentRow = (names: readonly string[], condition: string) =>
    `EXISTS (SELECT 1 FROM ${stagedTable(parent)} AS parent WHERE ${condition}
       AND ${names.map((column) => `parent.${column} = child.${column}`).join(' AND ')})`
  // A parent without a readable client was set aside; its rows go with it, because their client cannot be compared.
  const otherwise =
    unowned === undefined
      ? ''
      : `WHEN ${parentRow(unowned.columns, 'parent.client_number IS NULL')} THEN '${PARENT_REJECTED}'
         WHEN ${parentRow(unowned.columns, 'true')} THEN '${unowned.rule}'`
  return `UPDATE ${child} AS child
    SET fault = CASE WHEN ${parentRow(columns, 'parent.fault IS NOT NULL')} THEN '${PARENT_REJECTED}'
      ${otherwise} ELSE '${rule}' END
    WHERE child.fault IS NULL AND NOT ${parentRow(columns, 'parent.fault IS NULL')}`
}

/** The first row in the order of the source is kept. Two clients may use the same numbers. */
function identityUnique(table: IngestedTable): string {
  const staged = stagedTable(table.name)
  const identity = [...new Set([...(table.parent?.columns ?? []), ...table.schema.identity])]
  return `UPDATE ${staged} SET fault = '${IDENTITY_DUPLICATE}' WHERE rowid IN (
    SELECT one.rowid FROM ${staged} AS one JOIN (
      SELECT ${list(identity)}, min(rowid) AS first_row FROM ${staged}
      WHERE fault IS NULL GROUP BY ${list(identity)} HAVING count(*) > 1
    ) AS many USING (${list(identity)}) WHERE one.fault IS NULL AND one.rowid <> many.first_row)`
}

/** Keeps the first labels in the order in which records show them, so that the order of the rows does not matter. */
function labelsWithin(most: number): string {
  const staged = stagedTable('custom_field_labels')
  return `UPDATE ${staged} SET fault = '${LABELS_BEYOND}' WHERE rowid IN (
    SELECT rowid FROM (
      SELECT rowid, row_number() OVER (PARTITION BY client_number ORDER BY label) AS place
      FROM ${staged} WHERE fault IS NULL) WHERE place > ${most})`
}

/** Sums of amounts are exact, as the amounts are, or not served. The sum of the magnitudes bounds every partial sum. */
const amounts = ['line_amount_ex_gst', 'line_amount_inc_gst', '(line_amount_inc_gst - line_amount_ex_gst)']

const largestSum = `greatest(${list(amounts.map((amount) => `coalesce(sum(abs(${amount})), 0)`))})`

/** No invoice can exceed what all lines together do not. */
const someSumMayBeBeyond = `(SELECT ${largestSum} > ${MAX_SCALED} FROM ${stagedTable('invoice_lines')})`

const invoiceKey = 'client_number, company, invoice_number'

const invoicesBeyond = (lines: string): string => `SELECT ${invoiceKey} FROM ${lines}
  GROUP BY ${invoiceKey}
  HAVING ${largestSum} > ${MAX_SCALED}`

const lines = `(SELECT rowid, * FROM ${stagedTable('invoice_lines')} WHERE fault IS NULL)`

/** Repeated lines are set aside only later; looking for them in every invoice would take longer than all rules together. */
const linesOnce = `(SELECT DISTINCT ON (${invoiceKey}, line_number) * FROM ${lines}
  WHERE (${invoiceKey}) IN (${invoicesBeyond(lines)}) ORDER BY rowid)`

const sumsRepresentable = `UPDATE ${stagedTable('invoices')} AS invoice SET fault = '${SUM_RANGE}'
  FROM (${invoicesBeyond(linesOnce)}) AS beyond
  WHERE invoice.fault IS NULL AND invoice.client_number = beyond.client_number
    AND invoice.company = beyond.company AND invoice.invoice_number = beyond.invoice_number`
