/**
 * Step 1 of a refresh: every row of every table into the staged tables, each value judged on the way. Refuses files that
 * cannot be read or change meanwhile. Rows that are malformed or hold a faulty value are marked, never lost.
 */
import { Problem } from '../kernel/problem.ts'
import { fileChanged, fileUnreadable } from './problems.ts'
import { type FoundTable, fileState, type Source } from './sources/find-extract.ts'
import { refuseNumberKeys } from './sources/number-keys.ts'
import type { ReadContext, TablePart } from './sources/table-part.ts'
import { stagedRows, stagePart } from './staging.ts'
import type { IngestedTable } from './tables.ts'

export type ReadTable = {
  readonly table: IngestedTable
  /** Rows of the extract: those staged and the malformed lines that could not be. */
  readonly rows: number
  readonly malformedLines: number
  /** The file, and the row in it from 1, of a staged row. */
  readonly placeOf: (rowid: number) => { readonly file: string; readonly row: number }
}

/** @throws Problem ING103, ING105, ING108 or ING109 */
export async function readTable({ table, sources }: FoundTable, context: ReadContext): Promise<ReadTable> {
  const parts: StagedPart[] = []
  let staged = 0
  let malformedLines = 0
  for (const source of sources) {
    const part = await stageSource(source, context)
    const after = await stagedRows(context.database, table.name)
    if (part.expectedRows !== undefined && part.expectedRows !== after - staged) {
      throw fileUnreadable(table.name, source.file, miscounted(part.expectedRows, after - staged))
    }
    parts.push({ part, first: staged })
    staged = after
    malformedLines += part.malformedRows
  }
  return { table, rows: staged + malformedLines, malformedLines, placeOf: placesIn(parts) }
}

async function stageSource(source: Source, context: ReadContext): Promise<TablePart> {
  try {
    const part = await source.read(source, context)
    await context.database.run(stagePart(source.table, part))
    await refuseNumberKeys(source, part, context.database)
    await refuseChange(source)
    return part
  } catch (cause) {
    if (cause instanceof Problem || context.signal?.aborted) throw cause
    throw fileUnreadable(source.table.name, source.file, cause)
  }
}

async function refuseChange({ table, path, file, found }: Source): Promise<void> {
  if (found === null) return
  const now = await fileState(table, path, file)
  if (now.bytes !== found.bytes || now.modified !== found.modified) throw fileChanged(table.name, file)
}

const miscounted = (expected: number, found: number): Error =>
  new Error(`it has ${expected} well-formed rows, of which ${found} were read`)

type StagedPart = { readonly part: TablePart; readonly first: number }

const placesIn = (parts: readonly StagedPart[]) => (rowid: number) => {
  const found = parts.findLast(({ first }) => first <= rowid)
  if (found === undefined) throw new RangeError(`No part holds row ${rowid}`)
  return { file: found.part.file, row: found.part.rowAt(rowid - found.first) }
}
