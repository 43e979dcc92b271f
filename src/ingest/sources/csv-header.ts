/**
 * Reads the header of a CSV file: the column names and the delimiter. The delimiter is the one of `, ; tab |` with which the
 * header names the most columns of the table, so that a European spreadsheet export needs no configuration.
 */
import { isUtf8 } from 'node:buffer'
import { open } from 'node:fs/promises'
import { headerUnusable } from '../problems.ts'
import { columnName } from './match-columns.ts'
import type { SourceFile } from './table-part.ts'
import { hasByteOrderMark } from './walk-records.ts'

export type CsvHeader = { readonly names: readonly string[]; readonly delimiter: string }

const DELIMITERS = [',', ';', '\t', '|'] as const
const MOST_BYTES = 64 * 1024

/** @throws Problem ING108 */
export async function readCsvHeader({ table, path, file }: SourceFile): Promise<CsvHeader> {
  const refuse = (reason: string) => headerUnusable(table.name, file, reason)
  const bytes = await firstBytes(path)
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) {
    throw refuse('the file is UTF-16')
  }
  const start = hasByteOrderMark(bytes, bytes.length) ? 3 : 0
  const lineFeed = bytes.indexOf(10)
  if (lineFeed < 0 && bytes.length === MOST_BYTES) throw refuse(`it is longer than ${MOST_BYTES} bytes`)
  const line = bytes.subarray(start, lineFeed < 0 ? bytes.length : lineFeed)
  if (!isUtf8(line)) throw refuse('it is not valid UTF-8')
  const text = line.toString('utf8').replace(/\r$/, '')
  if (text.includes('\r')) throw refuse('its lines end with a carriage return and no line feed')
  if (text.trim() === '') throw refuse('the first line is blank')
  const known = new Set(table.schema.columns.map(({ column }) => column))
  const hits = (names: readonly string[]) => names.filter((name) => known.has(columnName(name))).length
  return DELIMITERS.map((delimiter) => ({ delimiter, names: splitHeader(text, delimiter) })).reduce(
    (best, next) => (hits(next.names) > hits(best.names) ? next : best),
  )
}

async function firstBytes(path: string): Promise<Buffer> {
  const handle = await open(path, 'r')
  try {
    const buffer = Buffer.alloc(MOST_BYTES)
    const { bytesRead } = await handle.read(buffer, 0, MOST_BYTES, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}

/** Values may be in quotes; a quote inside one is doubled. */
function splitHeader(text: string, delimiter: string): string[] {
  const names: string[] = []
  for (let at = 0; at <= text.length; ) {
    const quoted = /^ *"((?:[^"]|"")*)" */.exec(text.slice(at))
    const next = text.indexOf(delimiter, at + (quoted?.[0].length ?? 0))
    const end = next < 0 ? text.length : next
    names.push(quoted === null ? text.slice(at, end) : (quoted[1] as string).replaceAll('""', '"'))
    at = end + 1
  }
  return names
}
