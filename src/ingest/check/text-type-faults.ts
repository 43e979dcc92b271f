/** What a check says of the types of text columns: the values that refuse a part, and what the refresh would warn of. */
import { shortened } from '../rules/field-rules.ts'
import { list, name } from '../sql-text.ts'
import { stagedTable } from '../staging.ts'
import { type IngestedTable, quoteMask } from '../tables.ts'
import { TYPE_TEXT, type TypedPart, typeWarnings } from '../types/lost-types.ts'
import type { TextTypes } from '../types/text-types.ts'
import type { WorkDatabase } from '../work-database.ts'
import type { ColumnFault, ProposedCast } from './column-faults.ts'
import type { ColumnMatch } from './names.ts'

/** The parts as one: a fault for each column. */
export function textTypeFaults(
  table: IngestedTable,
  matches: readonly ColumnMatch[],
  parts: readonly TypedPart[],
): readonly ColumnFault[] {
  const mask = quoteMask(table.name)
  return matches.flatMap(({ column: { column }, name: found }) => {
    const lost = parts.flatMap(({ types }) => types.filter((each) => each.column === column && each.lost > 0))
    if (lost.length === 0 || found === null) return []
    const examples = [...new Set(lost.flatMap((each) => each.examples))].slice(0, 3)
    return {
      column,
      name: found,
      rule: TYPE_TEXT,
      rows: lost.reduce((sum, each) => sum + each.lost, 0),
      examples: examples.map((text) => shortened(mask(text))),
      cast: proposed(lost),
    }
  })
}

/** None brings back the digits that another part has lost. */
function proposed(lost: readonly TextTypes[]): ProposedCast | null {
  const [cast] = lost.map((each) => each.cast)
  if (cast === undefined || cast === null || lost.some((each) => each.cast === null)) return null
  return {
    sql: cast.sql,
    mapped: [cast.sql],
    decide: cast.loses === true,
    notes: cast.note === undefined ? [] : [cast.note],
  }
}

/** Of the staged rows. */
export async function textWarnings(
  table: IngestedTable,
  matches: readonly ColumnMatch[],
  parts: readonly TypedPart[],
  database: WorkDatabase,
): Promise<readonly string[]> {
  const warnings = await typeWarnings(table, parts, database)
  const isLost = (column: string) =>
    parts.some(({ types }) => types.some((each) => each.column === column && each.lost > 0))
  const others = matches.filter(({ column }) => !isLost(column.column))
  return [...warnings.map(({ message }) => message), ...(await numbersOfFloats(table, others, database))]
}

/** In a text of CSV the type cannot be told, but a column in which each value ends in `.0` was one of floats. */
async function numbersOfFloats(
  table: IngestedTable,
  matches: readonly ColumnMatch[],
  database: WorkDatabase,
): Promise<readonly string[]> {
  const texts = matches.filter(
    ({ column: { type, masked }, found }) => found && type === 'text' && masked !== 'number',
  )
  if (texts.length === 0) return []
  const facts = texts.flatMap(({ column: { column } }) => [
    `count(${column})`,
    `count(*) FILTER (regexp_full_match(${column}, '-?\\d+\\.0+'))`,
  ])
  const [row = []] = await database.rows(`SELECT ${list(facts)} FROM ${stagedTable(table.name)}`)
  return texts.flatMap(({ column: { column }, name: found }, at) => {
    const [values, ofFloats] = [Number(row[2 * at]), Number(row[2 * at + 1])]
    if (values === 0 || values !== ofFloats) return []
    const cast = `regexp_replace(${name(found ?? column)}, '\\.0+$', '')`
    return `column '${column}': all values end in .0 (${values} of ${values}), as programs write integers of a column with nulls. They are served so; export the column as text, or write in a view: ${cast}`
  })
}
