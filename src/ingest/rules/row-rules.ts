/**
 * The rules for a row among others, in SQL over the staged tables: its parent exists and was accepted, and no earlier row
 * has its identity. Each marks the rows that break it; a row is marked once, by the first rule.
 */
import { list } from '../sql-text.ts'
import { stagedTable } from '../staging.ts'
import type { IngestedTable, Parent } from '../tables.ts'

/** The mark of a row whose parent was set aside: it goes with it, and is not held against its own table. */
export const PARENT_REJECTED = 'parent.rejected'
export const IDENTITY_DUPLICATE = 'identity.duplicate'

/** Statements to be run in this order, parents' tables before their children's. */
export const rowRules = (table: IngestedTable): readonly string[] => [
  ...(table.parent === undefined ? [] : [parentAccepted(table, table.parent)]),
  ...(table.schema.identity.length === 0 ? [] : [identityUnique(table)]),
]

function parentAccepted(table: IngestedTable, { table: parent, columns, rule }: Parent): string {
  const child = stagedTable(table.name)
  const parentRow = (condition: string) =>
    `SELECT 1 FROM ${stagedTable(parent)} AS parent WHERE parent.fault IS ${condition}
       AND ${columns.map((column) => `parent.${column} = child.${column}`).join(' AND ')}`
  return `UPDATE ${child} AS child
    SET fault = CASE WHEN EXISTS (${parentRow('NOT NULL')}) THEN '${PARENT_REJECTED}' ELSE '${rule}' END
    WHERE child.fault IS NULL AND NOT EXISTS (${parentRow('NULL')})`
}

/** The first row in the order of the source stays. */
function identityUnique(table: IngestedTable): string {
  const staged = stagedTable(table.name)
  const { identity } = table.schema
  return `UPDATE ${staged} SET fault = '${IDENTITY_DUPLICATE}' WHERE rowid IN (
    SELECT one.rowid FROM ${staged} AS one JOIN (
      SELECT ${list(identity)}, min(rowid) AS first_row FROM ${staged}
      WHERE fault IS NULL GROUP BY ${list(identity)} HAVING count(*) > 1
    ) AS many USING (${list(identity)}) WHERE one.fault IS NULL AND one.rowid <> many.first_row)`
}
