/** How SQLite writes what databases write in words of their own. */
import { sql } from 'kysely'
import type { Expressions } from '../database.ts'

export const sqliteExpressions: Expressions = {
  // SQLite's own number of a row, which grows because no row of the trail is ever removed.
  orderOfWriting: sql<number>`rowid`,
  textMember: (column, member) => sql<string>`${sql.ref(column)} ->> ${sql.lit(member)}`,
  contains: (column, text) => sql<boolean>`instr(${sql.ref(column)}, ${text}) > 0`,
  // The sign makes it an expression, which no index holds.
  withoutIndex: (column) => sql<string>`+${sql.ref(column)}`,
}
