/** What is said of the types of text columns: which refuse a part, and what an operator should check. */
import { Problem } from '../../kernel/problem.ts'
import type { RefreshWarning } from '../../snapshot/manifest.ts'
import { counted } from '../problems.ts'
import { allOf } from '../refusal-reasons.ts'
import { shortened } from '../rules/field-rules.ts'
import { list } from '../sql-text.ts'
import { stagedTable } from '../staging.ts'
import { type IngestedTable, quoteMask } from '../tables.ts'
import type { WorkDatabase } from '../work-database.ts'
import type { Family, TextTypes } from './text-types.ts'

/** A part, and where its rows are in the staged table. */
export type TypedPart = {
  readonly file: string
  readonly types: readonly TextTypes[]
  readonly first: number
  readonly rows: number
}

/** @throws Problem ING180 naming every column */
export function refuseLostTypes(table: IngestedTable, file: string, types: readonly TextTypes[]): void {
  const problem = allOf(types.filter(({ lost }) => lost > 0).map((found) => typeLost(table, file, found)))
  if (problem !== undefined) throw problem
}

/** The rule that such values break, in the check of an extract. */
export const TYPE_TEXT = 'type.text'

function typeLost({ name }: IngestedTable, file: string, { column, type, lost, examples, cast }: TextTypes) {
  const mask = quoteMask(name)
  const shown = examples.map((text) => `'${shortened(mask(text))}'`)
  const mend =
    cast === null
      ? 'their digits are lost, so the column has to be exported as text'
      : `cast them, for example with ${cast.sql}`
  return new Problem(
    'ING180',
    `Column '${column}' of table '${name}' is text, and ${file} holds ${type}: ${counted(lost, 'value')} without a certain text, such as ${list(shown)}; ${mend}`,
    {
      hint: 'A text column takes text, integers and dates. Export the column as text, or say in a mapping which text is meant; `tripfolio ingest --check` drafts one.',
    },
  )
}

/** Remarks on the parts of a table, once all of them are staged. */
export async function typeWarnings(
  table: IngestedTable,
  parts: readonly TypedPart[],
  database: WorkDatabase,
): Promise<readonly RefreshWarning[]> {
  const warnings: RefreshWarning[] = []
  for (const { column } of table.columns) {
    const typed = parts.flatMap((part) => {
      const types = part.types.find((each) => each.column === column)
      return types === undefined ? [] : [{ part, types }]
    })
    const whole = typed.filter(({ types }) => types.whole > 0)
    if (whole.length > 0) warnings.push(numberAsText(column, whole))
    if (new Set(typed.flatMap(({ types }) => types.families)).size < 2) continue
    const filled = await filledParts(table, column, typed, database)
    const differing = new Map(filled.flatMap((each) => each.types.families.map((family) => [family, each])))
    if (differing.size > 1) warnings.push(typesDiffer(table, column, differing))
  }
  return warnings
}

type Typed = { readonly part: TypedPart; readonly types: TextTypes }

/** A part without a value in the column has a type by chance. */
async function filledParts(
  { name }: IngestedTable,
  column: string,
  typed: readonly Typed[],
  database: WorkDatabase,
): Promise<readonly Typed[]> {
  const isFilled = typed.map(
    ({ part: { first, rows } }) =>
      `coalesce(bool_or(${column} IS NOT NULL) FILTER (place >= ${first} AND place < ${first + rows}), false)`,
  )
  const [row = []] = await database.rows(
    `SELECT ${list(isFilled)} FROM (SELECT ${column}, rowid - min(rowid) OVER () AS place FROM ${stagedTable(name)})`,
  )
  return typed.filter((_, at) => row[at] === true)
}

function numberAsText(column: string, typed: readonly Typed[]): RefreshWarning {
  const whole = typed.reduce((sum, { types }) => sum + types.whole, 0)
  return {
    kind: 'number-as-text',
    message: `${filesOf(typed)}: column '${column}' is text, but holds numbers (${list(typesOf(typed))}): ${whole === 1 ? '1 whole number was read as an integer' : `${whole} whole numbers were read as integers`}. If the source had leading zeros, they are lost: export the column as text`,
  }
}

function typesDiffer(
  { name }: IngestedTable,
  column: string,
  differing: ReadonlyMap<Family, Typed>,
): RefreshWarning {
  const found = [...differing].map(([family, { part, types }]) => {
    const type = family === 'text' ? '' : ` (${types.type})`
    return `${familyNames[family]}${type} in ${part.file}`
  })
  return {
    kind: 'types-differ',
    message: `Table '${name}': column '${column}' holds ${found.join(' and ')}. The same value may have two texts, such as 0014 and 14: export the column as text everywhere`,
  }
}

const familyNames: { readonly [F in Family]: string } = {
  text: 'text',
  number: 'numbers',
  date: 'dates',
  other: 'other values',
}

const typesOf = (typed: readonly Typed[]): readonly string[] => [
  ...new Set(typed.map(({ types }) => types.type)),
]

const filesOf = (typed: readonly Typed[]): string => {
  const [first] = typed
  return `${first?.part.file}${typed.length > 1 ? ` and ${typed.length - 1} more` : ''}`
}
