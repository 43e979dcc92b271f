/**
 * Reads the tables of an extract from a warehouse in PostgreSQL: all of one moment, each into a file in the work folder. A
 * refresh then reads these files as those of a folder.
 */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { RefreshWarning } from '../../snapshot/manifest.ts'
import { readCsv } from '../sources/csv.ts'
import type { FoundExtract, FoundTable, Source } from '../sources/find-extract.ts'
import type { ReadPart } from '../sources/table-part.ts'
import { ingestedTables } from '../tables.ts'
import { textTypesIn } from '../types/text-types.ts'
import type { Relation } from './relation.ts'
import { columnsOf, findRelations, type ReadColumn, readColumns, refuseMissing } from './relations.ts'
import { rightsBeyondReading } from './rights.ts'
import { type Snapshot, withSnapshot } from './snapshot.ts'
import { spoolRows } from './spool.ts'

export type WarehouseRequest = {
  /** The URL of the database. */
  readonly source: string
  /** The file with the SQL of each table; without it, tables and views with the names of the tables are read. */
  readonly mapping: string | undefined
  /** Receives the files. */
  readonly folder: string
  readonly onNote: (note: string) => void
  readonly onWarning: (warning: RefreshWarning) => void
  readonly onTable?: (table: Relation['table']['name'], done: number, total: number) => void
  readonly signal: AbortSignal | undefined
}

/** @throws Problem ING102, ING103, ING108, ING150 to ING154 or PGS1xx; faults of the disk as they are */
export function readWarehouse(request: WarehouseRequest): Promise<FoundExtract> {
  const { source, mapping, signal } = request
  return withSnapshot(source, signal, async (snapshot) => {
    const rights = await rightsBeyondReading(snapshot)
    if (rights !== undefined) request.onWarning(rights)
    const relations = await findRelations(snapshot, mapping)
    const missing = ingestedTables
      .map(({ name }) => name)
      .filter((name) => !relations.some(({ table }) => table.name === name))
    await refuseMissing(snapshot, source, mapping, missing)
    // All columns are looked at first, so that a fault is found before gigabytes are copied.
    const read: { relation: Relation; columns: readonly ReadColumn[] }[] = []
    for (const relation of relations) {
      const found = await columnsOf(relation, snapshot, source)
      read.push({ relation, columns: readColumns(relation, found, request.onNote) })
    }
    const sources = new Map<string, Source>()
    for (const [at, { relation, columns }] of read.entries()) {
      request.onTable?.(relation.table.name, at, read.length)
      sources.set(relation.table.name, await spooled(relation, columns, snapshot, request))
    }
    const tables = ingestedTables.map((table): FoundTable => {
      const source = sources.get(table.name)
      return { table, sources: source === undefined ? [] : [source] }
    })
    const empty = missing.map((table) => ({ table, unreadable: [] }))
    return { tables, missing: empty, extractedAt: snapshot.takenAt }
  })
}

async function spooled(
  relation: Relation,
  columns: readonly ReadColumn[],
  snapshot: Snapshot,
  { source, folder, signal }: WarehouseRequest,
): Promise<Source> {
  const { table, label } = relation
  const path = join(folder, `warehouse-${table.name}.csv`)
  const rows = await spoolRows(relation, columns, path, snapshot, { source, signal })
  return {
    table,
    path,
    name: label,
    file: label,
    read: readSpool(columns, rows),
    found: null,
    discard: () => rm(path, { force: true }),
  }
}

/** @param rows as many as the warehouse says that it has sent */
const readSpool =
  (columns: readonly ReadColumn[], rows: number): ReadPart =>
  async (source, context) => {
    const part = await readCopy(columns)(source, context)
    const found = (part.expectedRows ?? 0) + part.malformedRows
    if (found !== rows) throw new Error(`the warehouse sent ${rows} rows, but the copy has ${found}`)
    const numberColumns = columns.filter(({ isNumber }) => isNumber).map(({ name }) => name)
    return { ...part, numberColumns }
  }

/** Reads a copy of rows whose text columns had these types. */
export const readCopy =
  (columns: readonly Pick<ReadColumn, 'typed'>[]): ReadPart =>
  async (source, context) => {
    const part = await readCsv(source, context)
    const typed = columns.flatMap(({ typed }) => typed ?? [])
    return { ...part, textTypes: await textTypesIn(part.select, typed, context.database) }
  }
