/**
 * Which encoding a text file has. Files are UTF-8 unless the mapping states another one with `SET VARIABLE encoding`. A file
 * that obviously is something else is refused with what it is, rather than read as text that nobody wrote.
 */
import { encodingUnknown, fileNotAsNamed } from '../problems.ts'
import type { SourceFile } from './table-part.ts'

/** Stated encodings by table; the empty name stands for all other tables. */
export type StatedEncodings = ReadonlyMap<string, string>

export const nothingStated: StatedEncodings = new Map()

/** Names that other programs use for what the Encoding standard, which defines the decoders, calls otherwise. */
const aliases: { readonly [name: string]: string } = {
  'latin-1': 'windows-1252',
  utf16: 'utf-16le',
  utf8: 'utf-8',
}

/**
 * The encodings of the tables, from the variables `encoding` and `encoding_<table>` of a mapping.
 *
 * @throws Problem ING140 when a name means no encoding, or a variable no table
 */
export function statedEncodings(
  variables: readonly (readonly [variable: string, value: string])[],
  tables: readonly string[],
): StatedEncodings {
  const stated = new Map<string, string>()
  for (const [variable, value] of variables) {
    const table = variable.toLowerCase().replace(/^encoding_?/, '')
    if (table !== '' && !tables.includes(table))
      throw encodingUnknown(variable, `there is no table '${table}'`)
    const encoding = encodingNamed(value)
    if (encoding === undefined) throw encodingUnknown(variable, `'${value}' is not an encoding`)
    stated.set(table, encoding)
  }
  return stated
}

/** Undefined for UTF-8, which needs no decoding. */
export function encodingOf(stated: StatedEncodings, table: string): string | undefined {
  const encoding = stated.get(table) ?? stated.get('')
  return encoding === 'utf-8' ? undefined : encoding
}

function encodingNamed(name: string): string | undefined {
  const lower = name.trim().toLowerCase()
  try {
    return new TextDecoder(aliases[lower] ?? lower).encoding
  } catch {
    return undefined
  }
}

/** A byte order mark says more than the statement for a whole extract: one of its files may have been saved otherwise. */
export function encodingIn(first: Uint8Array, stated: string): string {
  return marks.find(({ bytes }) => startsWith(first, bytes))?.encoding ?? stated
}

const marks = [
  { bytes: [0xef, 0xbb, 0xbf], encoding: 'utf-8' },
  { bytes: [0xff, 0xfe], encoding: 'utf-16le' },
  { bytes: [0xfe, 0xff], encoding: 'utf-16be' },
]

type Foreign = {
  readonly bytes: readonly number[]
  readonly name: string
  readonly encoding?: string
  readonly extension?: string
}

const foreign: readonly Foreign[] = [
  { bytes: [0xff, 0xfe], name: 'UTF-16', encoding: 'utf-16' },
  { bytes: [0xfe, 0xff], name: 'UTF-16', encoding: 'utf-16' },
  { bytes: [0x1f, 0x8b], name: 'compressed with gzip', extension: '.gz' },
  { bytes: [0x28, 0xb5, 0x2f, 0xfd], name: 'compressed with zstd', extension: '.zst' },
  { bytes: [0x50, 0x4b, 0x03, 0x04], name: 'a ZIP archive or a spreadsheet' },
  { bytes: [0x50, 0x41, 0x52, 0x31], name: 'a Parquet file', extension: '.parquet' },
]

/** Whether the first bytes of a file are those of a format that is not text. */
export const isBinary = (first: Uint8Array): boolean =>
  foreign.some(({ bytes, encoding }) => encoding === undefined && startsWith(first, bytes))

/** @throws Problem ING141 when the first bytes of a file without a stated encoding are not text in UTF-8 */
export function refuseForeign({ table, file }: SourceFile, first: Uint8Array): void {
  const found = foreign.find(({ bytes }) => startsWith(first, bytes)) ?? withoutMark(first)
  if (found !== undefined) throw fileNotAsNamed(table.name, file, found.name, adviceOn(found))
}

/** The first characters of a table are ASCII, so in UTF-16 every other byte is zero. */
const withoutMark = ([one, two]: Uint8Array): Omit<Foreign, 'bytes'> | undefined => {
  if (one === undefined || two === undefined || (one === 0) === (two === 0)) return undefined
  return { name: 'UTF-16', encoding: one === 0 ? 'utf-16be' : 'utf-16le' }
}

function adviceOn(found: Pick<Foreign, 'encoding' | 'extension'>): string {
  if (found.encoding !== undefined) return `${stateEncoding(found.encoding)}, or export it as UTF-8.`
  return found.extension === undefined
    ? 'Export it as CSV.'
    : `Give it a name that ends in ${found.extension}.`
}

/** The advice to state the encoding of a file. */
export const stateEncoding = (encoding: string): string =>
  `State its encoding in a file tripfolio.sql in the folder of the extract: SET VARIABLE encoding = '${encoding}'`

const startsWith = (bytes: Uint8Array, start: readonly number[]): boolean =>
  start.every((byte, at) => bytes[at] === byte)
