/**
 * Reads the header of a CSV file: the column names and the delimiter. The delimiter is the one of `, ; tab |` with which the
 * header names the most columns of the table, so that a European spreadsheet export needs no configuration.
 */
import { isUtf8 } from 'node:buffer'
import { fileEmpty, headerUnusable } from '../problems.ts'
import { stateEncoding } from './encodings.ts'
import { columnName } from './match-columns.ts'
import { openText } from './open-text.ts'
import type { SourceFile } from './table-part.ts'
import { fill, hasByteOrderMark } from './walk-records.ts'

export type CsvHeader = { readonly names: readonly string[]; readonly delimiter: string }

const DELIMITERS = [',', ';', '\t', '|'] as const
const MOST_BYTES = 64 * 1024

/** @throws Problem ING104, ING108 or ING141 */
export async function readCsvHeader(source: SourceFile): Promise<CsvHeader> {
  const { table, file } = source
  const refuse = (reason: string) => headerUnusable(table.name, file, reason)
  const bytes = await firstBytes(source)
  if (bytes.length === 0) throw fileEmpty(table.name, file)
  const start = hasByteOrderMark(bytes, bytes.length) ? 3 : 0
  const lineFeed = bytes.indexOf(10)
  if (lineFeed < 0 && bytes.length === MOST_BYTES) throw refuse(`it is longer than ${MOST_BYTES} bytes`)
  const line = bytes.subarray(start, lineFeed < 0 ? bytes.length : lineFeed)
  if (!isUtf8(line)) throw refuse(`it is not valid UTF-8. ${stateEncoding('windows-1252')}, for example`)
  const text = line.toString('utf8').replace(/\r$/, '')
  if (text.includes('\r')) throw refuse('its lines end with a carriage return and no line feed')
  if (text.trim() === '') throw refuse('the first line is blank')
  const known = new Set(table.schema.columns.map(({ column }) => column))
  const hits = (names: readonly string[]) => names.filter((name) => known.has(columnName(name))).length
  return DELIMITERS.map((delimiter) => ({ delimiter, names: splitHeader(text, delimiter) })).reduce(
    (best, next) => (hits(next.names) > hits(best.names) ? next : best),
  )
}

async function firstBytes(source: SourceFile): Promise<Buffer> {
  const text = await openText(source)
  try {
    const buffer = Buffer.alloc(MOST_BYTES)
    return buffer.subarray(0, await fill(text, buffer, 0))
  } finally {
    await text.close()
  }
}

/** Values may be in quotes; a quote inside one is doubled. */
export function splitHeader(text: string, delimiter: string): string[] {
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
