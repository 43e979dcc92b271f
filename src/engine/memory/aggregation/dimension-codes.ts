/**
 * Turns a column into codes, one per row: rows with equal values have equal codes. Null has a code like any other value. Texts
 * have theirs already; dates and small integers count from the least; other numbers are found in a hash table.
 */
import { MINUTES_PER_DAY } from '../../../kernel/calendar.ts'
import { type Period, periodOf } from '../../../kernel/periods.ts'
import { compareCodePoints } from '../../../kernel/text.ts'
import type { DatePart } from '../../../query/aggregation.ts'
import { type Column, NULL_INTEGER, type TextColumn } from '../../../snapshot/partition.ts'
import type { GroupValue } from '../../group-set.ts'
import { periodValue } from '../../group-values.ts'
import { textOrder } from '../indexes/text-order.ts'
import { scratch } from '../scratch.ts'
import { done, type Work } from '../work.ts'
import { foldedCodes } from './folded-codes.ts'
import { NumberCodes } from './number-codes.ts'
import { inBlocks, type Rows } from './selected-rows.ts'

export type Codes = {
  /** By place of the rows. */
  readonly codes: Int32Array
  /** Whether the codes are in memory that is given back after use. */
  readonly isScratch: boolean
  /** Greater than every code. */
  readonly limit: number
  readonly nullCode: number
  readonly shownAt: (code: number) => GroupValue
  /** Ranks of codes that occur, ascending with their values, by code; null when the codes are in order. Null is the greatest. */
  readonly ranks: (occurring: () => Uint8Array) => Work<Int32Array | null>
}

const inOrder: Codes['ranks'] = () => done(null)

export function codesOf(column: Column, rows: Rows, part: DatePart | null): Work<Codes> {
  switch (column.type) {
    case 'text':
      return textCodes(column, rows)
    case 'boolean':
      return booleanCodes(column.bits, rows)
    case 'date':
    case 'integer':
      return numberCodes(column.values, rows, part, 1)
    case 'minute':
    case 'wide-minute':
      return numberCodes(column.values, rows, part, part === null ? 1 : MINUTES_PER_DAY)
    case 'decimal':
      return numberCodes(column.values, rows, null, 1)
  }
}

/** A label that the client does not have. */
export function nullCodes({ count }: Rows): Codes {
  const codes = new Int32Array(count)
  return { codes, isScratch: false, limit: 1, nullCode: 0, shownAt: () => null, ranks: inOrder }
}

function* textCodes(column: TextColumn, rows: Rows): Work<Codes> {
  const { dictionary } = column
  const folded = yield* foldedCodes(dictionary)
  const nullCode = folded === null ? dictionary.size : folded.size
  const own = yield* ownCodes(column, rows)
  /** The first spelling of each folded text that occurs, as its code in the dictionary. */
  let shown: Int32Array | null = null
  let codes = own
  if (folded !== null) {
    const { groupOf } = folded
    const first = new Int32Array(nullCode + 1).fill(dictionary.size)
    const grouped = scratch.integers(rows.count)
    yield* inBlocks(rows.count, (from, to) => {
      for (let i = from; i < to; i++) {
        const code = own[i]!
        const group = groupOf[code]!
        grouped[i] = group
        if (code < first[group]!) first[group] = code
      }
    })
    shown = first
    codes = grouped
    if (rows.numbers !== null) scratch.give(own)
  }
  const textOf = (code: number) => dictionary.text(shown === null ? code : shown[code]!)
  return {
    codes,
    isScratch: folded !== null || rows.numbers !== null,
    limit: nullCode + 1,
    nullCode,
    shownAt: (code) => (code === nullCode ? null : textOf(code)),
    ranks: (occurring) => textRanks(column, { nullCode, shown, textOf, occurring: occurring() }),
  }
}

/** The codes in the column, without a copy when the rows are all rows. */
function* ownCodes({ codes }: TextColumn, { count, numbers }: Rows): Work<Int32Array> {
  if (numbers === null) return codes
  const own = scratch.integers(count)
  yield* inBlocks(count, (from, to) => {
    for (let i = from; i < to; i++) own[i] = codes[numbers[i]!]!
  })
  return own
}

type TextRanking = {
  readonly nullCode: number
  readonly shown: Int32Array | null
  readonly textOf: (code: number) => string
  readonly occurring: Uint8Array
}

/** So many texts are sorted on their own; for more, the order of the whole dictionary is found once. */
const FEW_TEXTS = 1 << 10

function* textRanks(
  { dictionary }: TextColumn,
  { nullCode, shown, textOf, occurring }: TextRanking,
): Work<Int32Array | null> {
  let count = 0
  for (let code = 0; code < nullCode; code++) count += occurring[code]!
  if (count > FEW_TEXTS) {
    const order = yield* textOrder(dictionary)
    if (order === null || shown === null) return order === null ? null : order.rankOfCode
    return Int32Array.from(shown, (code) => order.rankOfCode[code]!)
  }
  const codes: number[] = []
  for (let code = 0; code < nullCode; code++) if (occurring[code]) codes.push(code)
  const texts = new Map(codes.map((code) => [code, textOf(code)]))
  codes.sort((a, b) => compareCodePoints(texts.get(a) as string, texts.get(b) as string))
  return ranksOf(codes, nullCode)
}

/** @param ordered codes in the order of their values */
function ranksOf(ordered: Iterable<number>, nullCode: number): Int32Array {
  const ranks = new Int32Array(nullCode + 1)
  let rank = 0
  for (const code of ordered) ranks[code] = rank++
  ranks[nullCode] = rank
  return ranks
}

function* booleanCodes(bits: Uint8Array, { count, numbers }: Rows): Work<Codes> {
  const codes = scratch.integers(count)
  yield* inBlocks(count, (from, to) => {
    for (let i = from; i < to; i++) {
      const row = numbers === null ? i : numbers[i]!
      codes[i] = (bits[row >> 3]! >> (row & 7)) & 1
    }
  })
  return { codes, isScratch: true, limit: 2, nullCode: 2, shownAt: (code) => code === 1, ranks: inOrder }
}

/** A table of all values from the least to the greatest pays up to this many values more than rows. */
const SPARE_VALUES = 1 << 14

/** @param unit values per day for parts of minutes; 1 otherwise */
function* numberCodes(
  values: Int32Array | Float64Array,
  rows: Rows,
  part: DatePart | null,
  unit: number,
): Work<Codes> {
  const { least, greatest } = yield* boundsOf(values, rows, unit)
  if (least > greatest) return nullCodes(rows)
  const span = greatest - least + 1
  if (span > rows.count + SPARE_VALUES) return yield* hashedCodes(values, rows, part, unit)
  return yield* countedCodes(values, rows, { part, unit, least, span })
}

/** What null is in the array, besides NaN. */
const nullIn = (values: Int32Array | Float64Array): number =>
  values instanceof Int32Array ? NULL_INTEGER : Number.NaN

function* boundsOf(
  values: Int32Array | Float64Array,
  { count, numbers }: Rows,
  unit: number,
): Work<{ readonly least: number; readonly greatest: number }> {
  const none = nullIn(values)
  let least = Infinity
  let greatest = -Infinity
  yield* inBlocks(count, (from, to) => {
    for (let i = from; i < to; i++) {
      const value = values[numbers === null ? i : numbers[i]!]!
      if (value === none || Number.isNaN(value)) continue
      if (value < least) least = value
      if (value > greatest) greatest = value
    }
  })
  return { least: Math.floor(least / unit), greatest: Math.floor(greatest / unit) }
}

type Counted = {
  readonly part: DatePart | null
  readonly unit: number
  readonly least: number
  readonly span: number
}

/** Looks each value up in a table of all values that are possible. */
function* countedCodes(
  values: Int32Array | Float64Array,
  { count, numbers }: Rows,
  { part, unit, least, span }: Counted,
): Work<Codes> {
  const table = new Int32Array(span)
  const keys: number[] = []
  for (let i = 0; i < span; i++) {
    const key = keyOf(part, least + i)
    if (keys.length === 0 || keys[keys.length - 1] !== key) keys.push(key)
    table[i] = keys.length - 1
  }
  const nullCode = keys.length
  const none = nullIn(values)
  const codes = scratch.integers(count)
  yield* inBlocks(count, (from, to) => {
    for (let i = from; i < to; i++) {
      const value = values[numbers === null ? i : numbers[i]!]!
      codes[i] =
        value === none || Number.isNaN(value)
          ? nullCode
          : table[(unit === 1 ? value : Math.floor(value / unit)) - least]!
    }
  })
  const shownAt = (code: number) => (code === nullCode ? null : shownKey(part, keys[code]!))
  return { codes, isScratch: true, limit: nullCode + 1, nullCode, shownAt, ranks: inOrder }
}

/** Code 0 is null. */
function* hashedCodes(
  values: Int32Array | Float64Array,
  { count, numbers }: Rows,
  part: DatePart | null,
  unit: number,
): Work<Codes> {
  const none = nullIn(values)
  const known = new NumberCodes()
  const codes = scratch.integers(count)
  yield* inBlocks(count, (from, to) => {
    for (let i = from; i < to; i++) {
      const value = values[numbers === null ? i : numbers[i]!]!
      codes[i] =
        value === none || Number.isNaN(value)
          ? 0
          : known.codeOf(keyOf(part, unit === 1 ? value : Math.floor(value / unit)) + 0) + 1
    }
  })
  const { keys } = known
  return {
    codes,
    isScratch: true,
    limit: known.size + 1,
    nullCode: 0,
    shownAt: (code) => (code === 0 ? null : shownKey(part, keys[code - 1]!)),
    *ranks() {
      yield keys.length
      const ranks = new Int32Array(keys.length + 1)
      const sorted = Float64Array.from(keys).sort()
      const rankOf = new Map<number, number>()
      for (let rank = 0; rank < sorted.length; rank++) rankOf.set(sorted[rank]!, rank)
      for (let code = 1; code < ranks.length; code++) ranks[code] = rankOf.get(keys[code - 1]!) as number
      ranks[0] = keys.length
      return ranks
    },
  }
}

/** What values are grouped by: themselves, or the period of their day. */
const keyOf = (part: DatePart | null, value: number): number =>
  part === null || part === 'date' ? value : periodOf(part as Period, value)

const shownKey = (part: DatePart | null, key: number): GroupValue =>
  part === null ? key : periodValue(part, key)
