/**
 * The beginning of files that are not UTF-8, as copies in UTF-8 that the database can read. Which encoding they have can only
 * be guessed, so the drafted mapping states it, and the operator looks at letters with accents.
 */
import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { areEscapesLikely, BackslashSearch, type BackslashSigns } from '../dialect/backslash-signs.ts'
import type { CsvDialect } from '../dialect/csv-dialect.ts'
import { plainCsv } from '../dialect/plain-csv.ts'
import { withoutCardNumbers } from '../mapping/decoded-files.ts'
import { splitHeader } from '../sources/csv-header.ts'
import { csvJudge } from '../sources/csv-records.ts'
import { compressionOf } from '../sources/file-form.ts'
import { bytesOf, decodedText } from '../sources/open-text.ts'
import { walkRecords } from '../sources/walk-records.ts'
import { holdsCardNumbers, type IngestedTable } from '../tables.ts'
import type { WorkDatabase } from '../work-database.ts'
import { startOf } from './file-start.ts'

const LF = 10
const QUOTE = 34

/** The encoding that these text files seem to have; null for UTF-8. */
export async function likelyEncoding(paths: readonly string[], rows: number): Promise<string | null> {
  for (const path of paths) {
    const { encoding } = await startOf(path)
    if (encoding !== null) return encoding
    if (!(await isUtf8(firstLines(bytesOf(path, compressionOf(path)), rows)))) return 'windows-1252'
  }
  return null
}

/** Whether the backslashes of CSV files seem to be escapes. */
export async function haveEscapes(
  table: IngestedTable,
  paths: readonly string[],
  {
    delimiter,
    rows,
    encoding,
  }: { readonly delimiter: string; readonly rows: number; readonly encoding: string },
): Promise<boolean> {
  const signs: BackslashSigns[] = []
  for (const path of paths) {
    const search = new BackslashSearch(delimiter)
    const { firstLine } = await startOf(path)
    const form = { compression: compressionOf(path), encoding }
    const judge = csvJudge({ delimiter, columns: splitHeader(firstLine, delimiter).length })
    await walkRecords({ table, path, file: path, form, mostRecords: rows }, judge, {
      record: (bytes, start, end) => search.record(bytes, start, end),
      blank: () => undefined,
      malformed: ({ text }) => void search.malformedLine(text),
      flush: async () => search.flush(),
    })
    signs.push(search)
  }
  return areEscapesLikely(signs)
}

type Copied = {
  readonly root: string
  /** About as many are copied. */
  readonly rows: number
  readonly database: WorkDatabase
  readonly encoding: string
  readonly dialect: CsvDialect | undefined
}

/** @returns the path of a copy without the rows behind the first ones, and without card numbers where the table may have some */
export async function decodedCopy(
  { name }: IngestedTable,
  file: string,
  { root, rows, database, encoding, dialect }: Copied,
): Promise<string> {
  const path = join(root, file)
  const compression = compressionOf(path)
  const unpacked = compression === undefined ? file : file.replace(/\.[^.]+$/, '')
  // Names of its folders may give values of columns.
  const copy = join(database.folder, randomUUID(), unpacked)
  await mkdir(dirname(copy), { recursive: true, mode: 0o700 })
  const decoded = firstLines(decodedText(path, compression, encoding), rows)
  const plain = dialect === undefined ? decoded : plainCsv(decoded, dialect)
  const text = holdsCardNumbers(name) ? withoutCardNumbers(plain) : plain
  await pipeline(text, createWriteStream(copy, { mode: 0o600 }))
  return copy
}

/** The text up to the end of a line that more than this many lines end before. A line end inside quotes is none. */
async function* firstLines(chunks: AsyncIterable<Buffer>, rows: number): AsyncGenerator<Buffer> {
  let lines = 0
  let isQuoted = false
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at++) {
      if (chunk[at] === QUOTE) isQuoted = !isQuoted
      if (chunk[at] !== LF || isQuoted || lines++ < rows) continue
      yield chunk.subarray(0, at + 1)
      return
    }
    yield chunk
  }
}

async function isUtf8(chunks: AsyncIterable<Buffer>): Promise<boolean> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  try {
    for await (const chunk of chunks) decoder.decode(chunk, { stream: true })
    decoder.decode()
    return true
  } catch (cause) {
    if (cause instanceof TypeError) return false
    throw cause
  }
}
