/** The SQL expressions that differ from database to database, for PostgreSQL. */
import { sql } from 'kysely'
import type { Expressions } from '../database.ts'

export const postgresExpressions: Expressions = {
  // Writers shut each other out, so the numbers grow in the order in which readers see the rows.
  orderOfWriting: sql<number>`written`,
  textMember: (column, member) => sql<string>`${sql.ref(column)}::json ->> ${sql.lit(member)}`,
  contains: (column, text) => sql<boolean>`strpos(${sql.ref(column)}, ${text}) > 0`,
  // An expression, which no index covers.
  withoutIndex: (column) => sql<string>`(${sql.ref(column)} || '')`,
}
