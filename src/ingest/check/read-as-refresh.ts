/**
 * Reads the first rows of a table's files with the readers of a refresh, and stages them as a refresh does. So the check and a
 * refresh agree on encodings, compression, nulls, folders and malformed lines.
 */
import { Problem } from '../../kernel/problem.ts'
import type { BackslashSigns } from '../dialect/backslash-signs.ts'
import type { CsvDialect } from '../dialect/csv-dialect.ts'
import { fileUnreadable } from '../problems.ts'
import { isEmptyPart } from '../read-extract.ts'
import { whyNoJson } from '../rules/no-json.ts'
import type { Source } from '../sources/find-extract.ts'
import type { MalformedLine } from '../sources/table-part.ts'
import { MALFORMED, type MalformedText, malformedLines, stagedTable, stagePart } from '../staging.ts'
import type { IngestedTable } from '../tables.ts'
import type { TypedPart } from '../types/lost-types.ts'
import type { WorkDatabase } from '../work-database.ts'
import { refuseMachineFault } from './machine-fault.ts'

export type ReadRows = {
  /** Malformed lines included. */
  readonly rows: number
  readonly malformed: number
  /** The rows with a value that does not fit, and the malformed lines. */
  readonly setAside: number
  /** Where the first malformed line is, and what is wrong with it; null without one. */
  readonly firstMalformed: string | null
  /** Whether some lines are not in the encoding that they were read in. */
  readonly hasUnreadableText: boolean
  readonly backslashes: readonly BackslashSigns[]
  /** Why a refresh would refuse the files. */
  readonly faults: readonly Problem[]
  readonly namesByFile: ReadonlyMap<string, readonly string[]>
  /** The columns that names of folders give. */
  readonly folderColumns: ReadonlySet<string>
  /** What the text columns of each file hold, where the source has types. */
  readonly typed: readonly TypedPart[]
}

type Reading = {
  readonly database: WorkDatabase
  readonly rowsOfEach: number
  /** For text files; UTF-8 unless given. */
  readonly encoding: string | undefined
  /** For CSV files, where it is stated. */
  readonly dialect: CsvDialect | undefined
  readonly signal: AbortSignal | undefined
}

export async function readAsRefresh(
  table: IngestedTable,
  sources: readonly Source[],
  { database, rowsOfEach, encoding, dialect, signal }: Reading,
): Promise<ReadRows> {
  const staged = stagedTable(table.name)
  await database.run(`DELETE FROM ${staged}`)
  const lines: MalformedLine[] = []
  const faults: Problem[] = []
  const namesByFile = new Map<string, readonly string[]>()
  const onMalformed = (line: MalformedLine) => void lines.push(line)
  const context = { database, onMalformed, onNote: () => undefined, signal }
  const emptyParts: Problem[] = []
  const backslashes: BackslashSigns[] = []
  const typed: TypedPart[] = []
  let lineFound: (MalformedText & { readonly file: string }) | undefined
  let stagedRows = 0
  let linesNotUtf8 = 0
  for (const source of sources) {
    try {
      const form = encoding === undefined ? source.form : { ...source.form, encoding }
      const part = await source.read({ ...source, form, dialect, mostRecords: rowsOfEach + 1 }, context)
      const rows = await database.run(
        stagePart(table, { ...part, select: `${part.select} LIMIT ${rowsOfEach}` }),
      )
      const [malformed] = (
        await malformedLines(table, part, await firstRow(staged, stagedRows, database), 1, database)
      ).values()
      if (malformed !== undefined) lineFound ??= { ...malformed, file: source.file }
      typed.push({ file: source.file, types: part.textTypes ?? [], first: stagedRows, rows })
      stagedRows += rows
      namesByFile.set(source.file, part.names)
      if (part.text?.backslashes !== undefined) backslashes.push(part.text.backslashes)
      linesNotUtf8 += part.text?.linesNotUtf8 ?? 0
    } catch (cause) {
      signal?.throwIfAborted()
      refuseMachineFault(cause, database)
      const fault = cause instanceof Problem ? cause : fileUnreadable(table.name, source.file, cause)
      if (isEmptyPart(source, cause)) emptyParts.push(fault)
      else faults.push(fault)
    }
  }
  if (emptyParts.length === sources.length) faults.push(...emptyParts.slice(0, 1))
  const [[unparsed, faulty] = []] = await database.rows(
    `SELECT count(*) FILTER (fault = '${MALFORMED}'), count(fault) FROM ${staged}`,
  )
  const [first] = lines
  return {
    rows: stagedRows + lines.length,
    malformed: Number(unparsed) + lines.length,
    setAside: Number(faulty) + lines.length,
    firstMalformed:
      first !== undefined
        ? `${first.file}, row ${first.row}: ${first.reason}`
        : lineFound !== undefined
          ? `${lineFound.file}, row ${lineFound.row}: ${whyNoJson(lineFound.text)}`
          : null,
    hasUnreadableText: linesNotUtf8 > 0,
    backslashes,
    faults,
    namesByFile,
    typed,
    folderColumns: new Set(sources.flatMap(({ folderValues }) => [...(folderValues?.keys() ?? [])])),
  }
}

/** The place of the n-th staged row: rows that were removed before keep theirs. */
async function firstRow(staged: string, at: number, database: WorkDatabase): Promise<number> {
  const [[first] = []] = await database.rows(`SELECT min(rowid) FROM ${staged}`)
  return Number(first ?? 0) + at
}
