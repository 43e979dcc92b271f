/**
 * Indexes of columns: the rows in the order of their values, so that an equality or a range is a slice of row numbers. An
 * index is built when it pays: when the scans of the column together have cost about as much as the index.
 */
import type {
  Column,
  DecimalColumn,
  IntegerColumn,
  TextColumn,
  WideMinuteColumn,
} from '../../../snapshot/partition.ts'
import { NULL_INTEGER } from '../../../snapshot/partition.ts'
import { runWork, type Work } from '../work.ts'
import { sortAllByWords } from './radix-sort.ts'
import { doubleWords, integerWord, textWord } from './sort-words.ts'

/** Booleans are bitmaps already: they need no index. */
export type IndexableColumn = TextColumn | IntegerColumn | DoubleColumn

/** Whole numbers in doubles, NaN for null. */
export type DoubleColumn = DecimalColumn | WideMinuteColumn

export type ColumnIndex = {
  /** Row numbers by ascending value, nulls last, equal values in row order. Null when that is the order of the rows. */
  readonly ids: Int32Array | null
  /** The number of rows and of positions. */
  readonly count: number
  /** The positions from here to the end hold nulls. */
  readonly nullsFrom: number
  /** The first position whose value is at least this one. Text values are codes, amounts are scaled. */
  readonly position: (value: number) => number
}

/** After how many scans an index pays, by its cost. */
const WORTH_SCANS: { readonly [T in IndexableColumn['type']]: number } = {
  text: 4,
  date: 6,
  minute: 8,
  integer: 6,
  'wide-minute': 16,
  decimal: 16,
}

const indexes = new WeakMap<Column, ColumnIndex>()
const scannedRows = new WeakMap<Column, number>()

/**
 * The column's index, once the column has been scanned often enough. It is built in the background: the request that starts
 * the build still scans.
 */
export function indexOnceWorthwhile(column: IndexableColumn): ColumnIndex | null {
  const known = indexes.get(column)
  if (known !== undefined) return known
  const rows = rowsOf(column)
  if ((scannedRows.get(column) ?? 0) < rows * WORTH_SCANS[column.type]) return null
  scannedRows.set(column, Number.NEGATIVE_INFINITY) // no other request begins to build
  setImmediate(async () => indexes.set(column, await runWork(buildIndex(column))))
  return null
}

/** Counts rows that were scanned because there was no index. */
export function countScan(column: Column, rows: number): void {
  scannedRows.set(column, (scannedRows.get(column) ?? 0) + rows)
}

/** Registers the index of the column by which the rows are ordered: it costs nothing. */
export function registerRowOrder(column: IntegerColumn): void {
  const { values } = column
  indexes.set(column, {
    ids: null,
    count: values.length,
    nullsFrom: values.length,
    position: (value) => lowerBound(0, values.length, (at) => values[at]! < value),
  })
}

const rowsOf = (column: IndexableColumn): number =>
  column.type === 'text' ? column.codes.length : column.values.length

function buildIndex(column: IndexableColumn): Work<ColumnIndex> {
  switch (column.type) {
    case 'text':
      return indexText(column)
    case 'date':
    case 'minute':
    case 'integer':
      return indexIntegers(column)
    case 'wide-minute':
    case 'decimal':
      return indexDoubles(column)
  }
}

/** Also keeps where each code begins: the rows of a text are found without a search. */
function* indexText(column: TextColumn): Work<ColumnIndex> {
  const { codes, dictionary } = column
  const ids = yield* sortAllByWords(codes.length, [textWord(column, false)])
  const begins = new Int32Array(dictionary.size + 2)
  for (let row = 0; row < codes.length; row++) {
    const next = codes[row]! + 1
    begins[next] = begins[next]! + 1
    if (row % BLOCK === 0) yield
  }
  for (let code = 1; code < begins.length; code++) begins[code] = begins[code]! + begins[code - 1]!
  return {
    ids,
    count: ids.length,
    nullsFrom: begins[dictionary.size]!,
    position: (code) => begins[code]!,
  }
}

function* indexIntegers(column: IntegerColumn): Work<ColumnIndex> {
  const { values } = column
  const ids = yield* sortAllByWords(values.length, [integerWord(column, false)])
  const nullsFrom = lowerBound(0, ids.length, (at) => values[ids[at]!]! !== NULL_INTEGER)
  return {
    ids,
    count: ids.length,
    nullsFrom,
    position: (value) => lowerBound(0, nullsFrom, (at) => values[ids[at]!]! < value),
  }
}

function* indexDoubles({ values }: DoubleColumn): Work<ColumnIndex> {
  const [high, low] = doubleWords(values, false)
  const ids = yield* sortAllByWords(values.length, [low, high])
  const nullsFrom = lowerBound(0, ids.length, (at) => !Number.isNaN(values[ids[at]!]!))
  return {
    ids,
    count: ids.length,
    nullsFrom,
    position: (value) => lowerBound(0, nullsFrom, (at) => values[ids[at]!]! < value),
  }
}

const BLOCK = 1 << 16

export function rowNumbers(count: number): Int32Array {
  const ids = new Int32Array(count)
  for (let row = 0; row < count; row++) ids[row] = row
  return ids
}

/** The first position from `low` up to `high` for which `isBefore` is false; `high` when there is none. */
export function lowerBound(low: number, high: number, isBefore: (at: number) => boolean): number {
  while (low < high) {
    const middle = low + Math.floor((high - low) / 2)
    if (isBefore(middle)) low = middle + 1
    else high = middle
  }
  return low
}
