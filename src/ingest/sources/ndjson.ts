/**
 * Reads a file of JSON as a part of a table: one object per line or element, its members named like the columns. The database reads
 * a copy in which numbers are text. A line that is not an object of plain values becomes a malformed row, in its place.
 */
import { randomUUID } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { type MaskingOf, maskMembers } from '../card-numbers.ts'
import { list, literal, outgoing, pathLiteral } from '../sql-text.ts'
import { maskingOf } from '../tables.ts'
import { type Cut, JsonTypes, withoutCuts } from '../types/json-types.ts'
import { lineJudge, quoteNumbers } from './json-lines.ts'
import { columnName, matchColumns } from './match-columns.ts'
import { RepeatedMembers, withoutMembers } from './repeated-members.ts'
import { type ReadContext, type ReadPart, rowsWithout, type SourceFile, selectList } from './table-part.ts'
import {
  type Judge,
  MAX_RECORD_BYTES,
  type MalformedRecord,
  type RecordVisitor,
  SHOWN_BYTES,
  walkRecords,
} from './walk-records.ts'

export const readNdjson: ReadPart = async (source, context) => {
  const path = join(context.database.folder, `${randomUUID()}.ndjson`)
  const { malformedRows, textTypes, walked } = await copyWithTextNumbers(source, path, context)
  const { records, stopsInsideLine, linesNotUtf8 } = walked
  const lines = readLinesCall(path)
  const names = await memberNames(lines, context)
  // Without rows no columns can be missing; with rows, each required column must occur in at least one of them.
  const places =
    names.length === 0 ? new Map<string, number>() : matchColumns(source, distinctByCase(names), context)
  const columns = source.table.columns.filter(({ column }) => places.has(column))
  const paths = columns.flatMap(({ column }) => names.filter((name) => sameName(name, column)))
  const valueIn = (column: string) => {
    const spelled = paths.flatMap((name, at) => (sameName(name, column) ? [`v[${at + 1}]`] : []))
    return spelled.length === 0 ? undefined : `coalesce(${list(spelled)})`
  }
  const members = `[${list(paths.map((name) => literal(`$."${name}"`)))}]::VARCHAR[]`
  return {
    file: source.file,
    names,
    select: `SELECT ${selectList(source, ({ column }) => valueIn(column))},
      CASE WHEN v IS NULL THEN line END AS malformed
      FROM (SELECT line, CASE WHEN ${isPlainObject(members)} THEN ${extracted(members)} END AS v FROM ${lines})`,
    expectedRows: records - malformedRows.length,
    malformedRows: malformedRows.length,
    text: { stopsInsideLine, linesNotUtf8 },
    textTypes,
    linesOf: (rows) => linesOf(source, rows, context),
    rowAt: rowsWithout(malformedRows),
  }
}

async function copyWithTextNumbers(source: SourceFile, path: string, context: ReadContext) {
  const target = await open(path, 'w')
  try {
    const types = new JsonTypes(source.table.columns)
    const copy = new TextNumbersCopy(source, context, target, types.cuts)
    const walked = await walkRecords(source, judgeOf(source, types), copy, walkingOf(source, types, context))
    return { malformedRows: copy.malformedRows, textTypes: types.found(), walked }
  } finally {
    await target.close()
  }
}

/** Members that are no columns may be long, and are left out of long lines. */
function walkingOf({ table }: SourceFile, types: JsonTypes, { signal }: ReadContext) {
  const columns = new Set(table.columns.map(({ column }) => column))
  const shorten = (bytes: Buffer, start: number, end: number) => {
    const line = withoutCuts(bytes, start, end, types.cuts)
    // Their places are those in the long line.
    types.cuts.length = 0
    return withoutMembers(line, columns)
  }
  return { signal, shorten }
}

/** Reads the file once more: only few files have malformed lines that the database found. */
async function linesOf(
  source: SourceFile,
  rows: ReadonlySet<number>,
  context: ReadContext,
): Promise<ReadonlyMap<number, string>> {
  const lines = new Map<number, string>()
  let row = 0
  const visitor: RecordVisitor = {
    record(bytes, start, end) {
      row++
      if (rows.has(row))
        lines.set(row, bytes.toString('utf8', start, Math.min(end, start + SHOWN_BYTES)).trim())
    },
    blank: () => undefined,
    malformed: ({ index }) => {
      row = index + 1
    },
    flush: async () => undefined,
  }
  const types = new JsonTypes([])
  await walkRecords(source, judgeOf(source, types), visitor, walkingOf(source, types, context))
  return lines
}

/** Each line has its own names, so a column that occurs twice makes the line malformed; in CSV it refuses the file. */
function judgeOf({ table }: SourceFile, types: JsonTypes): Judge {
  const members = new RepeatedMembers(table.columns.map(({ column }) => column))
  return (bytes, start, end, last) => {
    const judgement = lineJudge(bytes, start, end, last)
    if (judgement.kind !== 'record') return judgement
    const { repeated, columns } = members.in(bytes, start, judgement.end)
    if (repeated !== null) return { kind: 'malformed', reason: `column '${repeated}' occurs twice` }
    types.line(bytes, columns, members.values, judgement.end)
    return judgement
  }
}

/** Enough for a small file; the buffer grows as needed. */
const SMALL_FILE_BYTES = 64 * 1024

class TextNumbersCopy implements RecordVisitor {
  readonly malformedRows: number[] = []
  readonly #source: SourceFile
  readonly #context: ReadContext
  readonly #target: FileHandle
  readonly #maskingOf: MaskingOf | null
  #bytes = Buffer.allocUnsafe(SMALL_FILE_BYTES)
  #length = 0
  readonly #cuts: readonly Cut[]

  /** @param cuts what is left out of the record that was judged last */
  constructor(source: SourceFile, context: ReadContext, target: FileHandle, cuts: readonly Cut[]) {
    this.#cuts = cuts
    this.#source = source
    this.#context = context
    this.#target = target
    this.#maskingOf = maskingOf(source.table)
  }

  record(bytes: Buffer, start: number, end: number): void {
    if (this.#cuts.length === 0) this.#copy(bytes, start, end)
    else {
      const line = withoutCuts(bytes, start, end, this.#cuts)
      this.#copy(line, 0, line.length)
    }
  }

  #copy(bytes: Buffer, start: number, end: number): void {
    const lineFeed = bytes[end - 1] === 10 ? 1 : 0
    this.#makeRoom(this.#length, 3 * (end - start) + 1)
    const from = this.#length
    this.#length = quoteNumbers(bytes, start, end - lineFeed, this.#bytes, from)
    if (this.#maskingOf !== null) this.#maskLine(from, this.#maskingOf)
  }

  #maskLine(from: number, maskingOf: MaskingOf): void {
    const line = this.#bytes.toString('utf8', from, this.#length - 1)
    const masked = Buffer.from(`${maskMembers(line, maskingOf)}\n`)
    this.#makeRoom(from, masked.length)
    this.#length = from + masked.copy(this.#bytes, from)
  }

  #makeRoom(from: number, most: number): void {
    if (from + most <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(2 * (from + most))
    this.#bytes.copy(larger, 0, 0, this.#length)
    this.#bytes = larger
  }

  blank(): void {}

  malformed({ index, reason, text }: MalformedRecord): void {
    const { table, file } = this.#source
    this.malformedRows.push(index + 1)
    this.#context.onMalformed({ table, file, row: index + 1, reason, text })
  }

  async flush(): Promise<void> {
    await this.#target.appendFile(this.#bytes.subarray(0, this.#length))
    this.#length = 0
  }
}

/** Reads each line as one text column: the separator is a control character, which no line contains. */
const readLinesCall = (path: string): string =>
  `read_csv(${pathLiteral(path)}, columns = {line: 'VARCHAR'}, auto_detect = false, header = false,
    delim = chr(1), quote = '', escape = '', max_line_size = ${4 * MAX_RECORD_BYTES})`

/** The names of the members of all lines. */
async function memberNames(lines: string, { database }: ReadContext): Promise<string[]> {
  const rows = await database.rows(
    `SELECT ${outgoing('name')} FROM (SELECT DISTINCT unnest(keys) AS name FROM (
       SELECT DISTINCT CASE WHEN json_valid(line) THEN CASE WHEN json_type(line) = 'OBJECT' THEN json_keys(line) END END AS keys
       FROM ${lines})) ORDER BY name`,
  )
  return rows.map(([name]) => String(name))
}

const sameName = (name: string, column: string): boolean => columnName(name) === column

/** One spelling of each name: the lines may spell a name differently. */
const distinctByCase = (names: readonly string[]): string[] => [
  ...new Map(names.map((name) => [columnName(name), name])).values(),
]

const extracted = (members: string): string => `json_extract_string(line, ${members})`

/** CASE rather than AND, because only CASE never evaluates JSON functions on a line that is not JSON. */
const isPlainObject = (members: string): string =>
  `CASE WHEN NOT json_valid(line) THEN false WHEN json_type(line) <> 'OBJECT' THEN false
        WHEN NOT regexp_matches(line, ':\\s*[\\[{]') THEN true
        ELSE NOT list_has_any(json_type(line, ${members}), ['OBJECT', 'ARRAY']) END`
