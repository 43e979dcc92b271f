/** Where the code of a row is found, and the inner loops that read it. They are functions of their own, so that they stay fast. */
import { NULL_INTEGER } from '../../../snapshot/partition.ts'

export type CodeSource =
  /** Codes by row number, or by place without `rows`; with `map`, the code is mapped once more. */
  | {
      readonly kind: 'codes'
      readonly codes: Int32Array
      /** Whether the codes are in memory that is given back after use. */
      readonly isScratch: boolean
      readonly rows: Int32Array | null
      readonly map: Int32Array | null
    }
  /** A table of codes by value: `table[value / unit - least]`. */
  | {
      readonly kind: 'table'
      readonly values: Int32Array
      readonly rows: Int32Array | null
      readonly table: Int32Array
      readonly least: number
      readonly unit: number
      readonly nullCode: number
    }

/** Writes the codes of the places from `from` up to `to`. */
export function writeCodes(source: CodeSource, into: Int32Array, from: number, to: number): void {
  if (source.kind === 'table') {
    const { values, rows, table, least, unit, nullCode } = source
    for (let i = from; i < to; i++) {
      const value = values[rows === null ? i : rows[i]!]!
      into[i] = value === NULL_INTEGER ? nullCode : table[keyIn(value, unit) - least]!
    }
    return
  }
  const { codes, rows, map } = source
  for (let i = from; i < to; i++) {
    const code = codes[rows === null ? i : rows[i]!]!
    into[i] = map === null ? code : map[code]!
  }
}

/** Numbers combinations: `before * each + code`. The numbers before may be those that are written over. */
export function combineCodes(
  source: CodeSource,
  { before, each, into }: { readonly before: Int32Array; readonly each: number; readonly into: Int32Array },
  from: number,
  to: number,
): void {
  if (source.kind === 'table') {
    const { values, rows, table, least, unit, nullCode } = source
    for (let i = from; i < to; i++) {
      const value = values[rows === null ? i : rows[i]!]!
      const code = value === NULL_INTEGER ? nullCode : table[keyIn(value, unit) - least]!
      into[i] = Math.imul(before[i]!, each) + code
    }
    return
  }
  const { codes, rows, map } = source
  for (let i = from; i < to; i++) {
    const code = codes[rows === null ? i : rows[i]!]!
    into[i] = Math.imul(before[i]!, each) + (map === null ? code : map[code]!)
  }
}

const keyIn = (value: number, unit: number): number => (unit === 1 ? value : Math.floor(value / unit))
