import { identifier } from '../../postgres/sql-names.ts'
import type { IngestedTable } from '../tables.ts'

/** What a warehouse has for a table of an extract. */
export type Relation = {
  readonly table: IngestedTable
  /** As messages and lists of rejects name it: `warehouse.sql (view bookings)` or `export.bookings`. */
  readonly label: string
  readonly query: string
  /**
   * Whether the query may say in which order the rows come, as views do. A table has no order: after a change, the same rows
   * come in another one.
   */
  readonly mayBeOrdered: boolean
  /** The line of the mapping in which the query begins; null without a mapping. */
  readonly line: number | null
}

export const relationOf = (
  table: IngestedTable,
  { schema, name, isView }: { readonly schema: string; readonly name: string; readonly isView: boolean },
): Relation => ({
  table,
  label: `${schema}.${name}`,
  query: `select * from ${identifier(schema)}.${identifier(name)}`,
  mayBeOrdered: isView,
  line: null,
})
