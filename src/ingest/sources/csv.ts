/**
 * Reads a CSV file as a part of a table. A first pass finds malformed lines and counts the others; when there are malformed
 * lines, the database reads a copy without them. So every line is either a row or a reject with its row number. A file that
 * is compressed or in another encoding is copied in the first pass.
 */
import { randomUUID } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { type Masking, maskFields } from '../card-numbers.ts'
import { BackslashSearch, stateEscape } from '../dialect/backslash-signs.ts'
import { isForeign } from '../dialect/csv-dialect.ts'
import { DialectReader } from '../dialect/dialect-reader.ts'
import { list, literal, pathLiteral } from '../sql-text.ts'
import { maskingOf } from '../tables.ts'
import { type CsvHeader, readCsvHeader } from './csv-header.ts'
import { csvJudge, withoutFields } from './csv-records.ts'
import { columnName, matchColumns } from './match-columns.ts'
import { type ReadContext, type ReadPart, rowsWithout, type SourceFile, selectList } from './table-part.ts'
import {
  type Judge,
  type LineEnd,
  MAX_RECORD_BYTES,
  type MalformedRecord,
  type RecordVisitor,
  type Shorten,
  type Walked,
  walkRecords,
} from './walk-records.ts'

export const readCsv: ReadPart = async (source, context) => {
  const header = await readCsvHeader(source)
  const places = matchColumns(source, header.names, context)
  const survey = new Survey(source, header, context)
  const read = new Set(places.values())
  const shorten: Shorten = (bytes, start, end) =>
    withoutFields(bytes.subarray(start, end), header.delimiter, (place) => !read.has(place))
  const { dialect } = source
  const reader = isForeign(dialect)
    ? new DialectReader({ ...header, columns: header.names.length, dialect })
    : undefined
  // What is ignored is found by the quotes of RFC 4180.
  const layout = { ...header, reader, shorten: reader === undefined ? shorten : undefined }
  const { path, walked } = await readable(source, layout, survey, context)
  const { records, stopsInsideLine, linesNotUtf8 } = walked
  return {
    file: source.file,
    names: header.names,
    select: `SELECT ${selectList(source, ({ column }) => {
      const place = places.get(column)
      return place === undefined ? undefined : `c${place}`
    })}, NULL::VARCHAR AS malformed FROM ${readCsvCall(path, header)}`,
    expectedRows: records - 1 - survey.malformedRows.length,
    malformedRows: survey.malformedRows.length,
    text: { stopsInsideLine, linesNotUtf8, backslashes: survey.backslashes },
    rowAt: rowsWithout(survey.malformedRows),
  }
}

/** How the lines of the file are walked. */
type Layout = CsvHeader & {
  readonly shorten: Shorten | undefined
  /** Reads records that are not those of RFC 4180. */
  readonly reader: DialectReader | undefined
}
type Readable = { readonly path: string; readonly walked: Walked }

/** The file that the database reads: the source where possible. What is compressed, encoded or a sample is copied while it is surveyed. */
async function readable(
  source: SourceFile,
  layout: Layout,
  survey: Survey,
  context: ReadContext,
): Promise<Readable> {
  if (source.form !== undefined || source.mostRecords !== undefined || layout.reader !== undefined) {
    return wellFormedCopy(source, layout, context, survey)
  }
  const { signal } = context
  const walked = await walkRecords(source, judgeOf(layout), survey, { signal, shorten: layout.shorten })
  if (survey.uniform && walked.shortened === 0) return { path: source.path, walked }
  const { path } = await wellFormedCopy(source, layout, context)
  return { path, walked }
}

const judgeOf = ({ delimiter, names, reader }: Layout): Judge =>
  reader?.judge ?? csvJudge({ delimiter, columns: names.length })

/** First pass: finds the malformed lines, and whether all lines end alike. The header is record 0. */
class Survey implements RecordVisitor {
  readonly malformedRows: number[] = []
  readonly #source: SourceFile
  readonly #context: ReadContext
  readonly backslashes: BackslashSearch | undefined
  #lineEnd: LineEnd = 'none'
  #uneven = false

  constructor(source: SourceFile, { delimiter }: CsvHeader, context: ReadContext) {
    this.#source = source
    this.#context = context
    if (source.dialect === undefined) this.backslashes = new BackslashSearch(delimiter)
  }

  /**
   * Whether the database can read the file itself: it does not accept mixed line ends or malformed lines, and takes a line of
   * delimiters for a row.
   */
  get uniform(): boolean {
    return !this.#uneven && this.malformedRows.length === 0
  }

  record(bytes: Buffer, start: number, end: number, lineEnd: LineEnd): void {
    this.backslashes?.record(bytes, start, end)
    this.blank(lineEnd, false)
  }

  blank(lineEnd: LineEnd, delimiters: boolean): void {
    if (delimiters) this.#uneven = true
    if (lineEnd === this.#lineEnd || lineEnd === 'none') return
    if (this.#lineEnd !== 'none') this.#uneven = true
    this.#lineEnd = lineEnd
  }

  malformed({ index, reason, text }: MalformedRecord): void {
    const { table, file } = this.#source
    this.malformedRows.push(index)
    const isSign = this.backslashes?.malformedLine(text) ?? false
    const said = isSign ? `${reason}. ${stateEscape(table.name)}` : reason
    this.#context.onMalformed({ table, file, row: index, reason: said, text })
  }

  async flush(): Promise<void> {
    this.backslashes?.flush()
  }
}

/** How the field at a place is masked; null when no field of the table has to be masked. */
type MaskingAt = ((place: number) => Masking | undefined) | null

function maskingByPlace({ table }: SourceFile, { names }: CsvHeader): MaskingAt {
  const maskingOfColumn = maskingOf(table)
  if (maskingOfColumn === null) return null
  return (place) => maskingOfColumn(columnName(names[place] ?? ''))
}

/** @param survey sees the same records, where the file was not surveyed before */
async function wellFormedCopy(
  source: SourceFile,
  layout: Layout,
  context: ReadContext,
  survey?: Survey,
): Promise<Readable> {
  const path = join(context.database.folder, `${randomUUID()}.csv`)
  const target = await open(path, 'w')
  try {
    const { shorten } = layout
    const copy = new WellFormedCopy(target, layout, maskingByPlace(source, layout), survey)
    const walked = await walkRecords(source, judgeOf(layout), copy, { signal: context.signal, shorten })
    return { path, walked }
  } finally {
    await target.close()
  }
}

const LINE_END_BYTES: { readonly [L in LineEnd]: number } = { lf: 1, crlf: 2, none: 0 }

/** Second pass: writes the well-formed records, each with a plain line feed. */
class WellFormedCopy implements RecordVisitor {
  readonly #target: FileHandle
  readonly #layout: Layout
  readonly #maskingAt: MaskingAt
  readonly #survey: Survey | undefined
  #pieces: Buffer[] = []

  constructor(target: FileHandle, layout: Layout, maskingAt: MaskingAt, survey: Survey | undefined) {
    this.#target = target
    this.#layout = layout
    this.#maskingAt = maskingAt
    this.#survey = survey
  }

  record(bytes: Buffer, start: number, end: number, lineEnd: LineEnd): void {
    this.#survey?.record(bytes, start, end, lineEnd)
    const { reader, delimiter } = this.#layout
    const recordEnd = end - LINE_END_BYTES[lineEnd]
    const record = reader?.plain(bytes, start, recordEnd) ?? bytes.subarray(start, recordEnd)
    const written =
      this.#maskingAt === null
        ? record
        : Buffer.from(maskFields(record.toString(), delimiter, this.#maskingAt))
    this.#pieces.push(written, lineFeed)
  }

  blank(): void {}

  malformed(record: MalformedRecord): void {
    this.#survey?.malformed(record)
  }

  async flush(): Promise<void> {
    await this.#survey?.flush()
    await this.#target.appendFile(Buffer.concat(this.#pieces))
    this.#pieces = []
  }
}

const lineFeed = Buffer.from('\n')

/** Turns all detection off: columns are text, named by their place, and the length limit is that of the walk. */
function readCsvCall(path: string, { names, delimiter }: CsvHeader): string {
  const columns = names.map((_, place) => `c${place}: 'VARCHAR'`)
  const options = [
    'auto_detect = false',
    'header = true',
    `delim = ${literal(delimiter)}`,
    `quote = '"'`,
    `escape = '"'`,
    // A backslash and an N mean null, unless they are in quotes.
    `nullstr = ['', '\\N']`,
    'allow_quoted_nulls = false',
    'hive_partitioning = false',
    `max_line_size = ${2 * MAX_RECORD_BYTES}`,
  ]
  return `read_csv(${pathLiteral(path)}, columns = {${list(columns)}}, ${list(options)})`
}
