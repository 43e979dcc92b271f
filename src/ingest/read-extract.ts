/**
 * Step 1 of a refresh: reads every row of every table into the staged tables and checks each value on the way. Refuses files
 * that cannot be read or that change meanwhile. Rows that are malformed or have a faulty value are marked, never dropped.
 */
import { Problem } from '../kernel/problem.ts'
import type { RefreshWarning } from '../snapshot/manifest.ts'
import { areEscapesLikely, type BackslashSigns, stateEscape } from './dialect/backslash-signs.ts'
import { FileEmpty, fileChanged, fileEmpty, fileUnreadable, viewUnreadable } from './problems.ts'
import { stateEncoding } from './sources/encodings.ts'
import { type FoundTable, fileState, isSameState, type Source } from './sources/find-extract.ts'
import type { CheckedFiles } from './sources/listed-files.ts'
import { refuseNumberKeys } from './sources/number-keys.ts'
import type { ReadContext, TablePart, TextFacts } from './sources/table-part.ts'
import { type MalformedText, malformedLines, stagePart } from './staging.ts'
import type { IngestedTable } from './tables.ts'
import { refuseLostTypes, typeWarnings } from './types/lost-types.ts'

export type ReadTable = {
  readonly table: IngestedTable
  /** Rows of the extract: the staged ones, and the malformed lines that could not be staged. */
  readonly rows: number
  readonly malformedLines: number
  /** The file of a staged row, and its number in that file, from 1. */
  readonly placeOf: (rowid: number) => { readonly file: string; readonly row: number }
  /** A malformed line as its file has it, where the staged one was rewritten. */
  readonly lineOf: (rowid: number) => string | undefined
}

export type TableContext = ReadContext & {
  /** The files as extract.json lists them. */
  readonly listed: CheckedFiles
  /** Receives each possible fault of the extract. */
  readonly onWarning: (warning: RefreshWarning) => void
  /** Called for each file or view that was read. */
  readonly onSource: (source: Source, rows: number) => void
}

/** @throws Problem ING103, ING105, ING108, ING109 or ING180 */
export async function readTable({ table, sources }: FoundTable, context: TableContext): Promise<ReadTable> {
  const parts: StagedPart[] = []
  const backslashes: BackslashSigns[] = []
  const lines = new Map<number, string>()
  let staged = 0
  let malformedLines = 0
  for (const source of sources) {
    if (source.found !== null) context.listed.admit(source, source.found)
    const read = await stageSource(source, staged, context)
    if (read === 'empty') continue
    const { part, rows, malformed } = read
    for (const [rowid, { text }] of malformed) lines.set(rowid, text)
    if (part.expectedRows !== undefined && part.expectedRows !== rows) {
      throw fileUnreadable(table.name, source.file, miscounted(part.expectedRows, rows))
    }
    if (part.text?.backslashes !== undefined) backslashes.push(part.text.backslashes)
    context.listed.count(source, rows + part.malformedRows)
    parts.push({ part, first: staged, rows })
    staged += rows
    context.onSource(source, rows + part.malformedRows)
    malformedLines += part.malformedRows
  }
  if (areEscapesLikely(backslashes)) context.onWarning(escapeUnclear(table.name))
  const [first] = sources
  // Compressed files of nothing are only seen when they are read.
  if (parts.length === 0 && first?.mayBeEmpty) throw fileEmpty(table.name, first.file)
  const typed = parts.map(({ part, ...place }) => ({
    file: part.file,
    types: part.textTypes ?? [],
    ...place,
  }))
  for (const warning of await typeWarnings(table, typed, context.database)) context.onWarning(warning)
  return {
    table,
    rows: staged + malformedLines,
    malformedLines,
    placeOf: placesIn(parts),
    lineOf: (rowid) => lines.get(rowid),
  }
}

type Staged = {
  readonly part: TablePart
  /** How many rows the database read from it. */
  readonly rows: number
  readonly malformed: ReadonlyMap<number, MalformedText>
}

/** More lines than these are listed as they were rewritten: nobody reads on. */
const MOST_LINES = 1000

/**
 * @param first the place of its first row in the staged table
 * @returns that it is a part without content, or what was read
 */
async function stageSource(source: Source, first: number, context: TableContext): Promise<Staged | 'empty'> {
  try {
    if (source.mayBeEmpty && source.found?.bytes === 0) return 'empty'

    const part = await source.read(source, context)
    refuseLostTypes(source.table, source.file, part.textTypes ?? [])
    const rows = await context.database.run(stagePart(source.table, part))
    await refuseNumberKeys(source, part, context.database)
    for (const warning of textWarnings(source, part.text)) context.onWarning(warning)
    const malformed = await malformedLines(source.table, part, first, MOST_LINES, context.database)
    await refuseChange(source)
    await source.discard?.()
    return { part, rows, malformed }
  } catch (cause) {
    if (isEmptyPart(source, cause)) return 'empty'
    if (cause instanceof Problem || context.signal?.aborted) throw cause
    throw (source.found === null ? viewUnreadable : fileUnreadable)(source.table.name, source.file, cause)
  }
}

/** Whether reading a part failed because it has no content, as a part may. */
export const isEmptyPart = ({ mayBeEmpty }: Source, cause: unknown): boolean =>
  mayBeEmpty === true && cause instanceof FileEmpty

const textWarnings = ({ file }: Source, text: TextFacts | undefined): readonly RefreshWarning[] => [
  ...(text?.stopsInsideLine ? [lastLine(file)] : []),
  ...(text === undefined || text.linesNotUtf8 === 0 ? [] : [notUtf8(file, text.linesNotUtf8)]),
]

const lastLine = (file: string): RefreshWarning => ({
  kind: 'line-end-missing',
  message: `${file}: the last line has no line end although other lines have one, so the file and its last value may have been cut off`,
})

const notUtf8 = (file: string, lines: number): RefreshWarning => ({
  kind: 'encoding-unclear',
  message: `${file}: ${lines === 1 ? '1 line is' : `${lines} lines are`} not valid UTF-8. If the file has another encoding: ${stateEncoding('windows-1252')}, for example`,
})

const escapeUnclear = (table: string): RefreshWarning => ({
  kind: 'escape-unclear',
  message: `Files of table '${table}' have backslashes as databases write escapes, and they were read as characters. ${stateEscape(table)}`,
})

async function refuseChange({ table, path, file, found }: Source): Promise<void> {
  if (found === null) return
  const now = await fileState(table, path, file)
  if (!isSameState(now, found)) throw fileChanged(table.name, file)
}

const miscounted = (expected: number, found: number): Error =>
  new Error(`expected ${expected} well-formed rows, but the database read ${found}`)

type StagedPart = { readonly part: TablePart; readonly first: number; readonly rows: number }

const placesIn = (parts: readonly StagedPart[]) => (rowid: number) => {
  const found = parts.findLast(({ first }) => first <= rowid)
  if (found === undefined) throw new RangeError(`No part holds row ${rowid}`)
  return { file: found.part.file, row: found.part.rowAt(rowid - found.first) }
}
