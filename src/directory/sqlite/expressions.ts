/** The SQL expressions that differ from database to database, for SQLite. */
import { sql } from 'kysely'
import type { Expressions } from '../database.ts'

export const sqliteExpressions: Expressions = {
  // SQLite's row number. It grows because no row of the trail is ever removed.
  orderOfWriting: sql<number>`rowid`,
  textMember: (column, member) => sql<string>`${sql.ref(column)} ->> ${sql.lit(member)}`,
  contains: (column, text) => sql<boolean>`instr(${sql.ref(column)}, ${text}) > 0`,
  // The plus sign makes it an expression, and no index covers that.
  withoutIndex: (column) => sql<string>`+${sql.ref(column)}`,
}
