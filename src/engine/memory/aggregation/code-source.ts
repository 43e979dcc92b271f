/**
 * Where the code of a row is found, and the inner loops that read it. Each loop is written for one kind of source, without
 * branches that depend on the kind.
 */
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

type TableSource = Extract<CodeSource, { kind: 'table' }>

/** Writes the codes of the places from `from` up to `to`. */
export function writeCodes(source: CodeSource, into: Int32Array, from: number, to: number): void {
  if (source.kind === 'table') {
    if (source.rows === null && source.unit === 1) lookUpAll(source, into, from, to)
    else lookUp(source, into, from, to)
    return
  }
  const { codes, rows, map } = source
  if (rows === null) into.set(codes.subarray(from, to), from)
  else for (let i = from; i < to; i++) into[i] = codes[rows[i]!]!
  if (map !== null) for (let i = from; i < to; i++) into[i] = map[into[i]!]!
}

function lookUpAll(
  { values, table, least, nullCode }: TableSource,
  into: Int32Array,
  from: number,
  to: number,
): void {
  for (let i = from; i < to; i++) {
    const value = values[i]!
    into[i] = value === NULL_INTEGER ? nullCode : table[value - least]!
  }
}

function lookUp(
  { values, rows, table, least, unit, nullCode }: TableSource,
  into: Int32Array,
  from: number,
  to: number,
): void {
  for (let i = from; i < to; i++) {
    const value = values[rows === null ? i : rows[i]!]!
    if (value === NULL_INTEGER) into[i] = nullCode
    else into[i] = table[(unit === 1 ? value : Math.floor(value / unit)) - least]!
  }
}

/** All are by place, the codes by row where there are `rows`; `into` may be one of the others that are by place. */
type Combined = {
  readonly before: Int32Array
  readonly each: number
  readonly codes: Int32Array
  readonly rows: Int32Array | null
  readonly into: Int32Array
}

/** Numbers combinations of the numbers before and the codes. */
export function combineCodes({ before, each, codes, rows, into }: Combined, from: number, to: number): void {
  for (let i = from; i < to; i++) into[i] = Math.imul(before[i]!, each) + codes[rows === null ? i : rows[i]!]!
}

/** Like {@link combineCodes} with codes by place; also counts the rows of each combination. */
export function combineAndCount(
  { before, each, codes, into }: Combined,
  counts: Int32Array,
  from: number,
  to: number,
): void {
  for (let i = from; i < to; i++) {
    const number = Math.imul(before[i]!, each) + codes[i]!
    into[i] = number
    counts[number] = counts[number]! + 1
  }
}

/** Like {@link combineAndCount} with codes by row. */
export function combineRowsAndCount(
  { before, each, codes, rows, into }: Combined & { readonly rows: Int32Array },
  counts: Int32Array,
  from: number,
  to: number,
): void {
  for (let i = from; i < to; i++) {
    const number = Math.imul(before[i]!, each) + codes[rows[i]!]!
    into[i] = number
    counts[number] = counts[number]! + 1
  }
}

/**
 * Only counts the rows of each combination, the numbers before and the codes being by place. Neighbours are counted in two
 * arrays in turn: they often have the same number, and a count that was just written takes long to read again.
 */
export function countCombinations(
  { before, each, codes }: Pick<Combined, 'before' | 'each' | 'codes'>,
  [even, odd]: readonly [Int32Array, Int32Array],
  from: number,
  to: number,
): void {
  let i = from
  for (; i + 1 < to; i += 2) {
    const one = Math.imul(before[i]!, each) + codes[i]!
    const other = Math.imul(before[i + 1]!, each) + codes[i + 1]!
    even[one] = even[one]! + 1
    odd[other] = odd[other]! + 1
  }
  if (i < to) {
    const last = Math.imul(before[i]!, each) + codes[i]!
    even[last] = even[last]! + 1
  }
}
