/**
 * Turns a column into codes: rows with equal values have equal codes. Null has a code like any other value. Texts have theirs
 * already; days and small integers count from the least; other numbers are found in a hash table.
 */
import { MINUTES_PER_DAY } from '../../../kernel/calendar.ts'
import type { DatePart } from '../../../query/aggregation.ts'
import { type Period, periodOf } from '../../../query/periods.ts'
import {
  type Column,
  type IntegerColumn,
  NULL_INTEGER,
  type TextColumn,
} from '../../../snapshot/partition.ts'
import type { GroupValue } from '../../group-set.ts'
import { periodValue } from '../../group-values.ts'
import { KeptWork } from '../kept-work.ts'
import { scratch } from '../scratch.ts'
import { done, type Work } from '../work.ts'
import { type CodeSource, writeCodes } from './code-source.ts'
import { boundsOf } from './column-bounds.ts'
import { foldedCodes } from './folded-codes.ts'
import { NumberCodes } from './number-codes.ts'
import { inBlocks, type Rows } from './selected-rows.ts'

export type Codes = {
  readonly source: CodeSource
  /** Greater than every code. */
  readonly limit: number
  readonly nullCode: number
  readonly shownAt: (code: number) => GroupValue
  /** Ranks by code, ascending with the values of codes that occur; null when codes are in order. Null has the greatest. */
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
    case 'minute':
      return integerCodes(column, rows, part)
    case 'wide-minute':
    case 'decimal':
      return hashedCodes(column.values, Number.NaN, rows, { part, unit: unitOf(column, part) })
  }
}

/** Values per day for parts of minutes. */
const unitOf = ({ type }: Column, part: DatePart | null): number =>
  part !== null && (type === 'minute' || type === 'wide-minute') ? MINUTES_PER_DAY : 1

/** A label that the client does not have. */
export function nullCodes({ count }: Rows): Codes {
  const codes = new Int32Array(count)
  const source: CodeSource = { kind: 'codes', codes, isScratch: false, rows: null, map: null }
  return { source, limit: 1, nullCode: 0, shownAt: () => null, ranks: inOrder }
}

const codesInScratch = (codes: Int32Array): CodeSource => ({
  kind: 'codes',
  codes,
  isScratch: true,
  rows: null,
  map: null,
})

function* textCodes({ codes, dictionary }: TextColumn, { count, numbers }: Rows): Work<Codes> {
  const folded = yield* foldedCodes(dictionary)
  const direct: CodeSource = { kind: 'codes', codes, isScratch: false, rows: numbers, map: null }
  if (folded === null) {
    const nullCode = dictionary.size
    return {
      source: direct,
      limit: nullCode + 1,
      nullCode,
      shownAt: (code) => (code === nullCode ? null : dictionary.text(code)),
      ranks: inOrder,
    }
  }
  const { groupOf, size: nullCode } = folded
  /** The first spelling of each folded text that occurs, as its code in the dictionary. */
  const shown = new Int32Array(nullCode + 1).fill(dictionary.size)
  yield* inBlocks(count, (from, to) => {
    for (let i = from; i < to; i++) {
      const code = codes[numbers === null ? i : numbers[i]!]!
      const group = groupOf[code]!
      if (code < shown[group]!) shown[group] = code
    }
  })
  return {
    source: { ...direct, map: groupOf },
    limit: nullCode + 1,
    nullCode,
    shownAt: (code) => (code === nullCode ? null : dictionary.text(shown[code]!)),
    ranks: inOrder,
  }
}

function* booleanCodes(bits: Uint8Array, { count, numbers }: Rows): Work<Codes> {
  const codes = scratch.integers(count)
  yield* inBlocks(count, (from, to) => {
    for (let i = from; i < to; i++) {
      const row = numbers === null ? i : numbers[i]!
      codes[i] = (bits[row >> 3]! >> (row & 7)) & 1
    }
  })
  const source = codesInScratch(codes)
  return { source, limit: 2, nullCode: 2, shownAt: (code) => code === 1, ranks: inOrder }
}

/** A table of all values from the least to the greatest pays up to this many values more than rows. */
const SPARE_VALUES = 1 << 14

function* integerCodes(column: IntegerColumn, rows: Rows, part: DatePart | null): Work<Codes> {
  const unit = unitOf(column, part)
  const bounds = yield* boundsOf(column)
  if (bounds === null) return nullCodes(rows)
  const least = Math.floor(bounds.least / unit)
  const span = Math.floor(bounds.greatest / unit) - least + 1
  const { values } = column
  if (span > rows.count + SPARE_VALUES) return yield* hashedCodes(values, NULL_INTEGER, rows, { part, unit })
  if (part !== null && rows.count * MOST_SPARED_ROWS >= values.length) {
    const { codes, shown } = yield* keptPeriods[part].get(column, () =>
      periodsOfAll({ values, least, unit, span }, part),
    )
    const source = { kind: 'codes', codes, isScratch: false, rows: rows.numbers, map: null } as const
    return codesInOrder(source, shown.length, (code) => shown[code]!)
  }
  const { codes: table, keys } = yield* tableOf(part, least, span)
  const nullCode = keys.length
  const source = { kind: 'table', values, table, least, unit, nullCode, rows: rows.numbers } as const
  return codesInOrder(source, nullCode, (code) => shownKey(part, keys[code]!))
}

/** Codes that ascend with their values, the null code being the greatest. */
const codesInOrder = (source: CodeSource, nullCode: number, shownAt: Codes['shownAt']): Codes => ({
  source,
  limit: nullCode + 1,
  nullCode,
  shownAt: (code) => (code === nullCode ? null : shownAt(code)),
  ranks: inOrder,
})

/** The periods of all rows are kept when at least one in so many rows is grouped. */
const MOST_SPARED_ROWS = 4

type Periods = {
  /** By row. */
  readonly codes: Int32Array
  /** By code. */
  readonly shown: readonly GroupValue[]
}

const keptPeriods: { readonly [P in DatePart]: KeptWork<IntegerColumn, Periods> } = {
  year: new KeptWork(),
  quarter: new KeptWork(),
  month: new KeptWork(),
  week: new KeptWork(),
  date: new KeptWork(),
}

type Days = Pick<Extract<CodeSource, { kind: 'table' }>, 'values' | 'least' | 'unit'> & {
  readonly span: number
}

function* periodsOfAll({ values, least, unit, span }: Days, part: DatePart): Work<Periods> {
  const { codes: table, keys } = yield* tableOf(part, least, span)
  const source = { kind: 'table', values, table, least, unit, nullCode: keys.length, rows: null } as const
  const codes = new Int32Array(values.length)
  yield* inBlocks(codes.length, (from, to) => writeCodes(source, codes, from, to))
  return { codes, shown: keys.map((key) => shownKey(part, key)) }
}

/** The codes of so many values from the least, and the values or periods by code. */
function* tableOf(
  part: DatePart | null,
  least: number,
  span: number,
): Work<{ readonly codes: Int32Array; readonly keys: readonly number[] }> {
  yield span
  const codes = new Int32Array(span)
  const keys: number[] = []
  for (let i = 0; i < span; i++) {
    const key = keyOf(part, least + i)
    if (keys.length === 0 || keys[keys.length - 1] !== key) keys.push(key)
    codes[i] = keys.length - 1
  }
  return { codes, keys }
}

type Grouped = { readonly part: DatePart | null; readonly unit: number }

/** Code 0 is null. @param none what null is in the array */
function* hashedCodes(
  values: Int32Array | Float64Array,
  none: number,
  { count, numbers }: Rows,
  { part, unit }: Grouped,
): Work<Codes> {
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
    source: codesInScratch(codes),
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

/** The codes of all rows, by place. */
export function* codesByPlace({ source }: Codes, count: number): Work<Int32Array> {
  if (source.kind === 'codes' && source.rows === null && source.map === null) return source.codes
  const codes = scratch.integers(count)
  yield* inBlocks(count, (from, to) => writeCodes(source, codes, from, to))
  return codes
}

/** What values are grouped by: themselves, or the period of their day. */
const keyOf = (part: DatePart | null, value: number): number =>
  part === null || part === 'date' ? value : periodOf(part as Period, value)

const shownKey = (part: DatePart | null, key: number): GroupValue =>
  part === null ? key : periodValue(part, key)
