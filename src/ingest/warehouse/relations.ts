/** What a warehouse has for each table: the query of a view of the mapping, or a table or view with the table's name. */
import { basename } from 'node:path'
import type { QueryConfig } from 'pg'
import { identifier } from '../../postgres/sql-names.ts'
import type { ExtractColumn, TableName } from '../../schema/extract-tables.ts'
import { allOf } from '../refusal-reasons.ts'
import { matchColumns } from '../sources/match-columns.ts'
import { ingestedTables, neededOf } from '../tables.ts'
import type { TypedText } from '../types/text-types.ts'
import { typedText } from '../types/warehouse-types.ts'
import { readMapping } from './mapping-file.ts'
import { asRelationProblem, relationMissing, typeUnreadable, viewMissing } from './problems.ts'
import { type Relation, relationOf } from './relation.ts'
import { ownSettings, type Snapshot } from './snapshot.ts'

export type WarehouseColumn = {
  readonly name: string
  /** As PostgreSQL calls it, such as `timestamp without time zone`. */
  readonly type: string
  /** `N` for numbers, `A` for arrays: https://www.postgresql.org/docs/current/catalog-pg-type.html */
  readonly category: string
}

/** The columns of a relation that a refresh reads, as text. */
export type ReadColumn = {
  readonly name: string
  /** SQL of type text. */
  readonly text: string
  readonly isNumber: boolean
  /** For a text column: its type, with which the copy is checked. */
  readonly typed?: TypedText
}

/** @throws Problem ING151 */
export async function findRelations(
  { connection }: Snapshot,
  mapping: string | undefined,
): Promise<readonly Relation[]> {
  if (mapping !== undefined) {
    const views = await readMapping(mapping)
    return ingestedTables.flatMap((table) =>
      views
        .filter((view) => view.table === table.name)
        .map(({ query, line }) => ({
          table,
          label: viewLabel(mapping, table.name),
          query,
          line,
          mayBeOrdered: true,
        })),
    )
  }
  const { rows } = await connection.query<{ name: string; schema: string; isView: boolean }>(
    `select wanted.name, n.nspname as schema, c.relkind = 'v' as "isView" from unnest($1::text[]) as wanted(name)
     join pg_class c on c.oid = to_regclass(quote_ident(wanted.name)) and c.relkind in ('r', 'v', 'm', 'p', 'f')
     join pg_namespace n on n.oid = c.relnamespace`,
    [ingestedTables.map(({ name }) => name)],
  )
  return ingestedTables.flatMap((table) =>
    rows.filter(({ name }) => name === table.name).map((found) => relationOf(table, found)),
  )
}

const viewLabel = (mapping: string, table: TableName): string => `${basename(mapping)} (view ${table})`

/** @throws Problem ING102 naming every table without which the extract is incomplete */
export async function refuseMissing(
  { connection }: Snapshot,
  source: string,
  mapping: string | undefined,
  missing: readonly TableName[],
): Promise<void> {
  const needed = neededOf(missing)
  if (needed.length === 0) return
  const { rows } = await connection.query<{ name: string }>('select unnest(current_schemas(false)) as name')
  const schemas = rows.map(({ name }) => name)
  const problem = allOf(
    needed.map((table) =>
      mapping === undefined ? relationMissing(table, source, schemas) : viewMissing(table, basename(mapping)),
    ),
  )
  if (problem !== undefined) throw problem
}

/**
 * The columns of a relation, without reading rows. The server takes the query as one statement or refuses it: a mapping cannot
 * end the transaction or begin another one.
 *
 * @throws Problem ING152, ING154 or PGS1xx
 */
export async function columnsOf(
  relation: Relation,
  { connection }: Snapshot,
  source: string,
): Promise<readonly WarehouseColumn[]> {
  const before = 'select * from (\n'
  try {
    await connection.query(ownSettings)
    const text = `${before}${relation.query}\n) as q limit 0`
    const { fields } = await connection.query({ text, queryMode: 'extended' } as QueryConfig)
    const { rows } = await connection.query<{ oid: string; type: string; category: string }>(
      `select oid::text, format_type(oid, null) as type, typcategory as category from pg_type where oid = any($1::oid[])`,
      [fields.map(({ dataTypeID }) => dataTypeID)],
    )
    const types = new Map(rows.map(({ oid, ...type }) => [oid, type]))
    return fields.map(({ name, dataTypeID }) => {
      const { type = '', category = '' } = types.get(String(dataTypeID)) ?? {}
      return { name, type, category }
    })
  } catch (cause) {
    throw asRelationProblem(relation, source, cause, before.length)
  }
}

/** @throws Problem ING103, ING108 or ING153 */
export function readColumns(
  relation: Relation,
  found: readonly WarehouseColumn[],
  onNote: (note: string) => void,
): readonly ReadColumn[] {
  const { table, label } = relation
  const names = found.map(({ name }) => name)
  const places = matchColumns({ table, path: '', file: label }, names, { onNote })
  const problem = allOf(
    table.columns.flatMap((column) => {
      const type = found[places.get(column.column) ?? -1]
      return type === undefined || isPlain(type) ? [] : [typeUnreadable(relation, column, type.type)]
    }),
  )
  if (problem !== undefined) throw problem
  return table.columns.flatMap((column) => {
    const origin = found[places.get(column.column) ?? -1]
    return origin === undefined ? [] : [{ ...readColumn(column, origin), name: column.column }]
  })
}

export function readColumn(
  column: ExtractColumn | undefined,
  { name, category, type }: WarehouseColumn,
): ReadColumn {
  const value = `q.${identifier(name)}`
  const isNumber = category === 'N'
  // A card number in a column of floats or decimals is a whole number: without `.0` or an exponent its last four digits stay visible.
  const isCard = column?.masked === 'number' && isNumber && type !== 'money'
  if (isCard) return { name, text: `trim_scale(${value}::text::numeric)::text`, isNumber }
  if (column?.type !== 'text') return { name, text: `${value}::text`, isNumber }
  const { text, ...typed } = typedText(column.column, name, { type, category })
  return { name, text, isNumber, typed }
}

/** Arrays, records and ranges hold several values, and bytes are no text. */
export const isPlain = ({ category, type }: WarehouseColumn): boolean =>
  !/^[ACPR]$/.test(category) && !/^(?:bytea|jsonb?)$/.test(type)
