/**
 * Drafts the mapping of a warehouse from what was found: a view for each table, in the SQL of PostgreSQL. What is only guessed
 * is a comment, so that a refresh asks for it instead of publishing a guess.
 */
import { identifier } from '../../postgres/sql-names.ts'
import type { TableName } from '../../schema/extract-tables.ts'
import { TYPE_TEXT } from '../types/lost-types.ts'
import type { Relation } from '../warehouse/relation.ts'
import type { ColumnFault } from './column-faults.ts'
import type { LookedAt } from './look-at-table.ts'
import type { ColumnMatch } from './names.ts'

/** @returns null when a refresh needs no mapping */
export function draftWarehouseMapping(
  tables: readonly LookedAt[],
  relations: ReadonlyMap<TableName, Relation>,
): string | null {
  if (tables.every(({ check }) => check.fits && check.found !== 'other files')) return null
  return [HEADER, ...tables.flatMap((looked) => draftOf(looked, relations.get(looked.table.name)))].join('\n')
}

const HEADER = `-- Drafted by tripfolio ingest --check, in the SQL of PostgreSQL. Check each line, then name the file with --mapping.
`

function draftOf(
  { table, check, matches, values }: LookedAt,
  relation: Relation | undefined,
): readonly string[] {
  const faults = check.faults.map((fault) => comment(`${table.name}: ${fault}`))
  const found = matches.filter(({ name }) => name !== null)
  if (relation === undefined || found.length === 0) {
    const write = [comment(`${table.name}: no table or view was found. Write its view:`)]
    if (!check.required && faults.length === 0) return []
    return [...faults, ...write, `-- CREATE VIEW ${table.name} AS SELECT ... FROM ...;`, '']
  }
  return [
    ...faults,
    ...values.map(valueNote),
    `CREATE VIEW ${table.name} AS SELECT`,
    [
      ...found.map((match) => columnOf(match, values)),
      ...matches.filter(isNone).map(({ column: { column } }) => `NULL AS ${column}`),
    ]
      .map((column) => `  ${column}`)
      .join(',\n'),
    ...matches.flatMap(missingLines),
    `${relation.query.replace(/^select \* from/, 'FROM')}${orderOf(relation, found.length)};`,
    '',
  ]
}

/** A refresh sorts rows of a table that have no key of their own; in a mapping the query does. */
const orderOf = ({ table, mayBeOrdered }: Relation, columns: number): string =>
  mayBeOrdered || table.schema.identity.length > 0
    ? ''
    : ` ORDER BY ${Array.from({ length: columns }, (_, at) => at + 1).join(', ')}`

/** The cast of a type is in the SQL of the warehouse. */
function columnOf({ name, column: { column } }: ColumnMatch, values: readonly ColumnFault[]): string {
  const cast = values.find((fault) => fault.column === column && fault.rule === TYPE_TEXT)?.cast
  if (cast) return `${cast.sql} AS ${column}`
  return name === column ? column : `${identifier(name ?? '')} AS ${column}`
}

/** A nullable column that nothing is near: it is null in all rows. */
const isNone = ({ name, nearest, column: { required, nullable } }: ColumnMatch): boolean =>
  name === null && nearest === null && required && nullable

function missingLines(match: ColumnMatch): readonly string[] {
  const {
    name,
    nearest,
    column: { column, required },
  } = match
  if (name !== null || !required || isNone(match)) return []
  const guess = nearest === null ? '...' : identifier(nearest)
  return [
    `  ${comment(`${column} is missing${nearest === null ? '' : '; this name is the nearest'}:`)}`,
    `  -- , ${guess} AS ${column}`,
  ]
}

const valueNote = ({ column, rule, examples }: Omit<ColumnFault, 'cast'>): string =>
  comment(`${column} has values that do not fit (${rule}): ${examples.map((text) => `'${text}'`).join(', ')}`)

/** Texts of a warehouse may have line ends, which would end the comment. */
const comment = (text: string): string => `-- ${text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')}`
