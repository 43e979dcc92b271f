/**
 * Reads answers of every format with independent readers: CSV and NDJSON with DuckDB, Arrow with apache-arrow. Each yields the
 * records of the JSON answer, or as much of them as the format can express.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance, type Json } from '@duckdb/node-api'
import { DataType, type Field, tableFromIPC, type Vector } from 'apache-arrow'
import type { JsonElement, JsonRecord } from '../fixtures/json-record.ts'

export type FileReader = {
  /** Every cell as text, the header first; null for an empty cell. */
  readonly csv: (body: Uint8Array) => Promise<readonly (readonly (string | null)[])[]>
  /** The JSON text of each record, as it was written. */
  readonly ndjson: (body: Uint8Array) => Promise<readonly string[]>
  readonly close: () => Promise<void>
}

export async function openFileReader(): Promise<FileReader> {
  const folder = await mkdtemp(join(tmpdir(), 'tripfolio-formats-'))
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  const connection = await instance.connect()
  const read = async (body: Uint8Array, sql: (file: string) => string): Promise<Json[][]> => {
    const file = join(folder, 'body')
    await writeFile(file, body)
    return (await connection.run(sql(file))).getRowsJson()
  }
  return {
    async csv(body) {
      const names = Array.from({ length: columnsIn(body) }, (_, i) => `c${i}`)
      const options = `delim = ',', quote = '"', escape = '"', nullstr = '', allow_quoted_nulls = false`
      const columns = names.map((name) => `'${name}': 'VARCHAR'`).join(', ')
      // The driver drops a byte order mark at the beginning of a text: here no text begins with one.
      const rows = await read(
        body,
        (file) => `SELECT ${names.map((name) => `'.' || ${name}`).join(', ')}
          FROM read_csv('${file}', auto_detect = false, header = false, new_line = '\\r\\n', ${options}, columns = {${columns}})`,
      )
      return rows.map((row) => row.map((cell) => (cell === null ? null : String(cell).slice(1))))
    },
    async ndjson(body) {
      if (body.length === 0) return []
      const rows = await read(body, (file) => `SELECT json::VARCHAR FROM read_ndjson_objects('${file}')`)
      return rows.map(([text]) => String(text))
    },
    async close() {
      connection.closeSync()
      instance.closeSync()
      await rm(folder, { recursive: true })
    },
  }
}

/** Counts the cells of the header line; commas within quotes do not separate cells. */
function columnsIn(body: Uint8Array): number {
  const text = Buffer.from(body).toString()
  let isQuoted = false
  let columns = 1
  for (let i = 0; i < text.length && (isQuoted || text[i] !== '\r'); i++) {
    if (text[i] === '"') isQuoted = !isQuoted
    else if (text[i] === ',' && !isQuoted) columns++
  }
  return columns
}

/** The cells that a record should have, header by header. */
export function expectedCells(record: JsonRecord, header: readonly string[]): readonly (string | null)[] {
  return header.map((name) => {
    const label = /^customDataFields\.(.*)$/s.exec(name)?.[1]
    const value = label === undefined ? record[name] : own(record.customDataFields as JsonElement, label)
    if (value === undefined) throw new RangeError(`No record has the column ${name}`)
    // The only cell of its line is in quotes, since readers leave out empty lines.
    if (value === null) return header.length === 1 ? '' : null
    if (typeof value === 'string') return harmless(value)
    return typeof value === 'object' ? JSON.stringify(value) : String(value)
  })
}

const own = (fields: JsonElement, label: string) => (Object.hasOwn(fields, label) ? fields[label] : null)

const harmless = (text: string): string =>
  (text.trimStart() !== '' && '=+-@＝＋－＠'.includes(text.trimStart().charAt(0))) ||
  (text !== '' && '\t\r\n'.includes(text.charAt(0)))
    ? `'${text}`
    : text

/** The header that a client's collection should have. */
export function expectedHeader(members: readonly string[], labels: readonly string[]): readonly string[] {
  return members.flatMap((name) =>
    name === 'customDataFields' ? labels.map((label) => `${name}.${label}`) : [name],
  )
}

/** apache-arrow drops a byte order mark at the beginning of a text, so the compared JSON must lose it too. */
export const asArrowReads = (json: string): string => json.replaceAll(/"\ufeff/g, '"')

export function readArrow(body: Uint8Array): readonly JsonRecord[] {
  const table = tableFromIPC(body)
  const { fields } = table.schema
  return Array.from({ length: table.numRows }, (_, row) => {
    const members = fields.map((field, i) => [field.name, plain(field, table.getChildAt(i), row)] as const)
    const record = Object.fromEntries(members) as Record<string, JsonElement>
    // JSON leaves out labels without a value. A client without labels has no struct in Arrow.
    const custom = Object.entries(record.customDataFields ?? {}).filter(([, value]) => value !== null)
    return { ...record, customDataFields: Object.fromEntries(custom) }
  })
}

function plain({ type }: Field, column: Vector | null, row: number): unknown {
  const value = column?.get(row) ?? null
  if (column === null || value === null) return null
  if (DataType.isDate(type)) return new Date(Number(value)).toISOString().slice(0, 10)
  if (DataType.isTimestamp(type)) return new Date(Number(value)).toISOString().slice(0, 16)
  if (DataType.isDecimal(type)) return scaled(value as Uint32Array, type.scale)
  if (DataType.isStruct(type)) {
    const members = type.children.map((child, i) => [child.name, plain(child, column.getChildAt(i), row)])
    return Object.fromEntries(members)
  }
  if (DataType.isList(type)) {
    const elements = value as Vector
    return Array.from({ length: elements.length }, (_, i) => plain(type.valueField, elements, i))
  }
  return value
}

/** Four words in two's complement, the least significant first. */
function scaled(words: Uint32Array, places: number): number {
  const whole = words.reduceRight((sum, word) => (sum << 32n) | BigInt(word), 0n)
  const signed = BigInt.asIntN(128, whole)
  const digits = String(signed < 0n ? -signed : signed).padStart(places + 1, '0')
  return Number(`${signed < 0n ? '-' : ''}${digits.slice(0, -places)}.${digits.slice(-places)}`)
}
