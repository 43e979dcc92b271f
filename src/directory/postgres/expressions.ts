/** The SQL expressions that differ from database to database, for PostgreSQL. */
import { type RawBuilder, sql } from 'kysely'
import type { Expressions } from '../database.ts'

const ZERO = sql.lit('\\u0000')
const START_OF_HALF = sql.lit('\\ud')
const HALF = sql.lit(String.raw`\\ud[89a-f][0-9a-f]{2}`)

export const postgresExpressions: Expressions = {
  // Writers shut each other out, so the numbers grow in the order in which readers see the rows.
  orderOfWriting: sql<number>`written`,
  textMember: (column, member) => sql<string>`(${readableJson(column)})::json ->> ${sql.lit(member)}`,
  contains: (column, text) => sql<boolean>`strpos(${sql.ref(column)}, ${text}) > 0`,
  // An expression, which no index covers.
  withoutIndex: (column) => sql<string>`(${sql.ref(column)} || '')`,
}

/**
 * PostgreSQL reads no JSON with an escape that stands for none of its characters, wherever it is, such as in a script: the
 * character 0, or half of a surrogate pair. Escaped backslashes are written otherwise first, so that each that is left begins an
 * escape. Texts that cannot have such an escape are read as they are, which is faster.
 */
function readableJson(column: string): RawBuilder<string> {
  const text = sql.ref(column)
  const escapes = sql`replace(${text}, ${sql.lit('\\\\')}, ${sql.lit('\\u005c')})`
  const withoutZeros = sql`replace(${escapes}, ${ZERO}, ${sql.lit('\\ufffd')})`
  const withoutHalves = sql`regexp_replace(${withoutZeros}, ${HALF}, ${sql.lit('\\\\ufffd')}, 'g')`
  return sql`case when strpos(${text}, ${START_OF_HALF}) > 0 then ${withoutHalves}
    when strpos(${text}, ${ZERO}) > 0 then ${withoutZeros} else ${text} end`
}
