import { identifier } from '../../postgres/sql-names.ts'
import type { IngestedTable } from '../tables.ts'

/** What a warehouse has for a table of an extract. */
export type Relation = {
  readonly table: IngestedTable
  /** As messages and lists of rejects name it: `warehouse.sql (view bookings)` or `export.bookings`. */
  readonly label: string
  readonly query: string
  /** The line of the mapping in which the query begins; null without a mapping. */
  readonly line: number | null
}

export const relationOf = (table: IngestedTable, schema: string, name: string): Relation => ({
  table,
  label: `${schema}.${name}`,
  query: `select * from ${identifier(schema)}.${identifier(name)}`,
  line: null,
})
