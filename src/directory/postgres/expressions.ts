/** The SQL expressions that differ from database to database, for PostgreSQL. */
import { type RawBuilder, sql } from 'kysely'
import type { Expressions } from '../database.ts'

export const postgresExpressions: Expressions = {
  // Writers shut each other out, so the numbers grow in the order in which readers see the rows.
  orderOfWriting: sql<number>`written`,
  textMember: (column, member) => sql<string>`${readableJson(column)}::json ->> ${sql.lit(member)}`,
  contains: (column, text) => sql<boolean>`strpos(${sql.ref(column)}, ${text}) > 0`,
  // An expression, which no index covers.
  withoutIndex: (column) => sql<string>`(${sql.ref(column)} || '')`,
}

/**
 * PostgreSQL reads no JSON with an escape that stands for none of its characters, wherever it is, such as in a script: the
 * character 0, or half of a surrogate pair. Escaped backslashes are written otherwise first, so that each that is left begins an
 * escape.
 */
function readableJson(column: string): RawBuilder<string> {
  const escapes = sql`replace(${sql.ref(column)}, ${sql.lit('\\\\')}, ${sql.lit('\\u005c')})`
  const texts = sql`replace(${escapes}, ${sql.lit('\\u0000')}, ${sql.lit('\\ufffd')})`
  const halves = sql.lit(String.raw`\\ud[89a-f][0-9a-f]{2}`)
  return sql`regexp_replace(${texts}, ${halves}, ${sql.lit('\\\\ufffd')}, 'g')`
}
