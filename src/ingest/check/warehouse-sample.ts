/**
 * Where the check of a warehouse finds each table: a view of the mapping, a table or view with its name, or one that may be
 * meant. The first rows are copied into files, all of one moment, which are then looked at as those of a folder.
 */
import { join } from 'node:path'
import { showSource } from '../../config/extract-source.ts'
import { Problem } from '../../kernel/problem.ts'
import type { TableName } from '../../schema/extract-tables.ts'
import { nothingKnown } from '../sources/find-extract.ts'
import { columnName } from '../sources/match-columns.ts'
import { type IngestedTable, ingestedTables } from '../tables.ts'
import { typeUnreadable } from '../warehouse/problems.ts'
import { readCopy } from '../warehouse/read-warehouse.ts'
import { type Relation, relationOf } from '../warehouse/relation.ts'
import { columnsOf, findRelations, isPlain, type ReadColumn, readColumn } from '../warehouse/relations.ts'
import { rightsBeyondReading } from '../warehouse/rights.ts'
import { type Snapshot, withSnapshot } from '../warehouse/snapshot.ts'
import { spoolRows } from '../warehouse/spool.ts'
import { draftWarehouseMapping } from './draft-warehouse-mapping.ts'
import { likelyFiles } from './likely-files.ts'
import type { Place } from './look-at-table.ts'
import { SAMPLED_ROWS } from './sample.ts'
import type { SampledSource } from './sampled-source.ts'

type Warehouse = {
  readonly source: string
  readonly mapping?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/** @throws Problem ING150, ING151 or PGS1xx; the faults of a table are in its place */
export async function sampleWarehouse(
  { source, mapping, signal }: Warehouse,
  folder: string,
): Promise<SampledSource> {
  const relations = new Map<TableName, Relation>()
  const warnings: string[] = []
  const places = await withSnapshot(source, signal, async (snapshot) => {
    const rights = await rightsBeyondReading(snapshot)
    if (rights !== undefined) warnings.push(rights.message)
    const found = await findRelations(snapshot, mapping)
    for (const relation of found) relations.set(relation.table.name, relation)
    const meant = mapping === undefined ? await likelyRelations(snapshot, relations) : []
    for (const relation of meant) relations.set(relation.table.name, relation)
    const read: Place[] = []
    for (const { name } of ingestedTables) {
      const relation = relations.get(name)
      const isMeant = relation !== undefined && meant.includes(relation)
      read.push(
        relation === undefined
          ? NOWHERE
          : await placeOf(relation, isMeant, snapshot, { source, signal, folder }),
      )
    }
    return read
  })
  return {
    kind: 'warehouse',
    source: showSource(source),
    root: folder,
    stated: nothingKnown,
    otherFiles: [],
    places,
    warnings,
    refuseChange: async () => undefined,
    draft: (looked) => (mapping === undefined ? draftWarehouseMapping(looked, relations) : null),
  }
}

const NOWHERE: Place = { found: 'nothing', group: null, sources: [], faults: [], unreadable: [] }

type Copying = { readonly source: string; readonly signal: AbortSignal | undefined; readonly folder: string }

/** A statement that fails ends a transaction, unless it goes back to a savepoint: the other tables are looked at as well. */
async function placeOf(
  relation: Relation,
  isMeant: boolean,
  snapshot: Snapshot,
  copying: Copying,
): Promise<Place> {
  const file = relation.label.replaceAll('/', '_')
  const group = { format: 'csv' as const, files: [file], pattern: file }
  const found = isMeant ? 'other files' : 'files'
  const { connection } = snapshot
  await connection.query('savepoint sample')
  try {
    const { faults, columns } = await sampled(relation, join(copying.folder, file), snapshot, copying)
    const { table } = relation
    const path = join(copying.folder, file)
    const own = isMeant ? [] : [{ table, path, name: file, file, read: readCopy(columns), found: null }]
    return { found, group, sources: own, faults: isMeant ? [] : faults, unreadable: [] }
  } catch (cause) {
    if (!(cause instanceof Problem) || cause.kind !== 'extract-refused') throw cause
    await connection.query('rollback to savepoint sample')
    return { found, group: null, sources: [], faults: [cause.message], unreadable: [] }
  }
}

type Copied = Pick<ReadColumn, 'name' | 'text' | 'typed'>

/** Copies the first rows under the names that the warehouse has. @returns the columns, and why a refresh would refuse some */
async function sampled(
  relation: Relation,
  path: string,
  snapshot: Snapshot,
  { source, signal }: Copying,
): Promise<{ readonly faults: readonly string[]; readonly columns: readonly Copied[] }> {
  const { table } = relation
  const found = await columnsOf(relation, snapshot, source)
  const known = (name: string) => table.columns.find(({ column }) => column === columnName(name))
  const columns = found.map((column): Copied => {
    const { name } = column
    return isPlain(column) ? { ...readColumn(known(name), column), name } : { name, text: 'null::text' }
  })
  await spoolRows(relation, columns, path, snapshot, { source, signal, most: SAMPLED_ROWS })
  const faults = found.flatMap((column) => {
    const wanted = known(column.name)
    return wanted === undefined || isPlain(column)
      ? []
      : [typeUnreadable(relation, wanted, column.type).message]
  })
  return { faults, columns }
}

/** The tables and views of the schemas in the search path that are probably meant for a table without one of its name. */
async function likelyRelations(
  { connection }: Snapshot,
  found: ReadonlyMap<TableName, Relation>,
): Promise<readonly Relation[]> {
  const { rows } = await connection.query<{
    schema: string
    name: string
    isView: boolean
    columns: string[]
  }>(
    `select n.nspname as schema, c.relname as name, c.relkind = 'v' as "isView", array_agg(a.attname::text order by a.attnum) as columns
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where n.nspname = any(current_schemas(false)) and c.relkind in ('r', 'v', 'm', 'p', 'f')
       and not c.relispartition and has_table_privilege(c.oid, 'select')
     group by 1, 2, 3 order by 1, 2`,
  )
  const without = ingestedTables.filter(({ name }) => !found.has(name))
  const taken = new Set([...found.values()].map(({ label }) => label))
  const candidates = rows
    .map(({ columns, ...place }) => ({
      place,
      called: [place.name],
      namesFor: (_: IngestedTable) => columns,
      group: { format: 'csv' as const, files: [`${place.schema}.${place.name}`], pattern: place.name },
    }))
    .filter(({ group }) => !taken.has(group.files[0] ?? ''))
  const likely = likelyFiles(without, candidates)
  return without.flatMap((table) =>
    candidates
      .filter(({ group }) => group === likely.get(table.name))
      .map(({ place }) => relationOf(table, place)),
  )
}
