/** Computes one aggregate for all groups, in one pass over the rows that it takes. */
import type { Aggregate, AggregateMethod } from '../../../query/aggregation.ts'
import { type Column, NULL_INTEGER, type TextColumn } from '../../../snapshot/partition.ts'
import type { GroupValue } from '../../group-set.ts'
import { averageOf } from '../../group-values.ts'
import { scratch } from '../scratch.ts'
import { done, type Work } from '../work.ts'
import { codesByPlace, codesOf } from './dimension-codes.ts'
import { ExactSums } from './exact-sums.ts'
import { PairCodes } from './number-codes.ts'
import { inBlocks, type Rows } from './selected-rows.ts'

/** An aggregate of all groups, by the numbers of the groups. */
export type Aggregated = {
  readonly shownAt: (group: number) => GroupValue
  /** Doubles that order the values, the most significant first; NaN is null. */
  readonly sortValues: (group: number) => readonly number[]
  /** How many distinct values are counted. */
  readonly distinct: number
}

/** The rows that an aggregate takes: each has a group, and a row number in the column's scope. */
export type GroupedRows = {
  readonly rows: Rows
  readonly groups: Int32Array
  /** Greater than the number of every group. */
  readonly limit: number
  /** By group: how many of the rows it has. */
  readonly counts: Int32Array
}

export const countsOf = (counts: Int32Array): Aggregated => ({
  shownAt: (group) => counts[group]!,
  sortValues: (group) => [counts[group]!],
  distinct: 0,
})

/** A label that the client does not have: it is null in every row. */
export const aggregateOfNull = (method: AggregateMethod): Aggregated => ({
  shownAt: () => (method === 'countdistinct' ? 0 : null),
  sortValues: () => [0],
  distinct: 0,
})

export function aggregateColumn(
  method: Exclude<Aggregate['method'], 'count'>,
  column: Column,
  grouped: GroupedRows,
): Work<Aggregated> {
  switch (method) {
    case 'sum':
    case 'average':
      return sumOf(method, column, grouped)
    case 'min':
    case 'max':
      return column.type === 'text'
        ? extremeText(method, column, grouped)
        : extremeNumber(method, column, grouped)
    case 'countdistinct':
      return distinctValues(column, grouped)
  }
}

function* sumOf(
  method: 'sum' | 'average',
  column: Column,
  { rows: { count, numbers }, groups, limit, counts: rowCounts }: GroupedRows,
): Work<Aggregated> {
  const values = valuesOf(column)
  const none = nullIn(values)
  const sums = new ExactSums(limit)
  yield* inBlocks(count, (from, to) => sums.add(values, numbers, none, groups, from, to))
  const counts = rowCounts.map((rows, group) => rows - sums.nulls[group]!)
  const isScaled = column.type === 'decimal'
  if (method === 'sum') {
    return {
      shownAt: (group) => (counts[group] === 0 ? null : sums.of(group)),
      sortValues: (group) => (counts[group] === 0 ? [Number.NaN, Number.NaN] : sums.parts(group)),
      distinct: 0,
    }
  }
  const average = (group: number) => averageOf(sums.of(group), counts[group]!, isScaled)
  return {
    shownAt: (group) => (counts[group] === 0 ? null : average(group)),
    sortValues: (group) => [counts[group] === 0 ? Number.NaN : average(group)],
    distinct: 0,
  }
}

function valuesOf(column: Column): Int32Array | Float64Array {
  if (column.type === 'text' || column.type === 'boolean') throw new Error(`A ${column.type} is no number`)
  return column.values
}

/** What null is in the array, besides NaN. */
const nullIn = (values: Int32Array | Float64Array): number =>
  values instanceof Int32Array ? NULL_INTEGER : Number.NaN

function* extremeNumber(method: 'min' | 'max', column: Column, grouped: GroupedRows): Work<Aggregated> {
  const values = valuesOf(column)
  const best = yield* extremes(method, values, nullIn(values), grouped)
  const bestOf = (group: number): number => best[group]!
  return {
    shownAt: (group) => (Number.isFinite(bestOf(group)) ? bestOf(group) + 0 : null),
    sortValues: (group) => [Number.isFinite(bestOf(group)) ? bestOf(group) : Number.NaN],
    distinct: 0,
  }
}

/** The least or greatest value by group; infinite where there is none. */
function* extremes(
  method: 'min' | 'max',
  values: Int32Array | Float64Array,
  none: number,
  { rows: { count, numbers }, groups, limit }: GroupedRows,
): Work<Float64Array> {
  const best = new Float64Array(limit).fill(method === 'min' ? Infinity : -Infinity)
  const sign = method === 'min' ? 1 : -1
  yield* inBlocks(count, (from, to) => {
    for (let i = from; i < to; i++) {
      const value = values[numbers === null ? i : numbers[i]!]!
      if (value === none || Number.isNaN(value)) continue
      const group = groups[i]!
      if (sign * value < sign * best[group]!) best[group] = value
    }
  })
  return best
}

/** Codes are in the order of their texts. */
function* extremeText(
  method: 'min' | 'max',
  { codes, dictionary }: TextColumn,
  { rows, groups, limit }: GroupedRows,
): Work<Aggregated> {
  const { count, numbers } = rows
  const best = new Int32Array(limit).fill(-1)
  yield* inBlocks(count, (from, to) => {
    for (let i = from; i < to; i++) {
      const code = codes[numbers === null ? i : numbers[i]!]!
      if (code === dictionary.size) continue
      const group = groups[i]!
      const known = best[group]!
      if (known < 0 || (method === 'min' ? code < known : code > known)) best[group] = code
    }
  })
  return {
    shownAt: (group) => (best[group]! < 0 ? null : dictionary.text(best[group]!)),
    sortValues: (group) => [best[group]! < 0 ? Number.NaN : best[group]!],
    distinct: 0,
  }
}

/** Up to this many combinations of group and value have a mark each. */
const FEW_MARKS = 1 << 16
const MARKS_PER_ROW = 8

function* distinctValues(column: Column, { rows, groups, limit }: GroupedRows): Work<Aggregated> {
  const { count } = rows
  const coded = yield* codesOf(column, rows, null)
  const { limit: each, nullCode, source } = coded
  const codes = yield* codesByPlace(coded, count)
  const counts = new Int32Array(limit)
  let distinct = 0
  if (limit * each <= Math.max(FEW_MARKS, MARKS_PER_ROW * count)) {
    const marks = new Uint8Array(limit * each)
    yield* inBlocks(count, (from, to) => {
      for (let i = from; i < to; i++) {
        const code = codes[i]!
        if (code === nullCode) continue
        const group = groups[i]!
        const mark = group * each + code
        if (marks[mark] === 1) continue
        marks[mark] = 1
        counts[group]!++
        distinct++
      }
    })
  } else {
    const pairs = new PairCodes()
    yield* inBlocks(count, (from, to) => {
      for (let i = from; i < to; i++) {
        const code = codes[i]!
        if (code === nullCode) continue
        const group = groups[i]!
        if (pairs.codeOf(group, code) < distinct) continue
        counts[group]!++
        distinct++
      }
    })
  }
  if (source.kind === 'table' || source.isScratch || source.codes !== codes) scratch.give(codes)
  return yield* done({ ...countsOf(counts), distinct })
}
