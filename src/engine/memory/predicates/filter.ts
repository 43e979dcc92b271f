/**
 * A predicate prepared for one scope: it can fill a bitmap, or test single rows when few are left. Conjunctions begin with
 * the filter that matches fewest rows, and continue with bitmap or single rows, whichever is cheaper.
 */
import {
  type Bits,
  clearPastEnd,
  complement,
  countRows,
  intersect,
  keepRows,
  narrowed,
  rowsIn,
  unite,
  type Window,
} from '../bitmap.ts'
import type { Scope } from '../scope.ts'
import { nothingLeft, type Work } from '../work.ts'

export type Filter = {
  /** The answer for every row, if it is known beforehand. */
  readonly constant?: boolean
  /** An upper bound on the rows that match, known beforehand. */
  readonly atMost: number
  /** Cost of filling the whole bitmap, in rows scanned. */
  readonly effort: number
  /** Cost of testing a single row, in rows scanned. */
  readonly effortPerRow: number
  /** Writes the words of the window. */
  readonly fill: (bits: Bits, window: Window) => Work<void>
  readonly test: (row: number) => boolean
}

/** Cost of testing one row alone, compared with scanning it among others. */
export const ASKED = 5

export function constantFilter(value: boolean, { count }: Scope): Filter {
  return {
    constant: value,
    atMost: value ? count : 0,
    effort: 0,
    effortPerRow: 1,
    fill: (bits, window) => {
      bits.fill(value ? 0xffffffff : 0, window.from, window.to)
      clearPastEnd(bits, count, window)
      return nothingLeft
    },
    test: () => value,
  }
}

export function negation(operand: Filter, scope: Scope): Filter {
  if (operand.constant !== undefined) return constantFilter(!operand.constant, scope)
  const { count } = scope
  return {
    atMost: count,
    effort: operand.effort,
    effortPerRow: operand.effortPerRow,
    *fill(bits, window) {
      yield* operand.fill(bits, window)
      complement(bits, count, window)
    },
    test: (row) => !operand.test(row),
  }
}

export function disjunction(operands: readonly Filter[], { bitmaps, count }: Scope): Filter {
  return {
    atMost: Math.min(count, sumOf(operands, 'atMost')),
    effort: sumOf(operands, 'effort'),
    effortPerRow: sumOf(operands, 'effortPerRow'),
    *fill(bits, window) {
      const other = bitmaps.take()
      bits.fill(0, window.from, window.to)
      for (const operand of operands) {
        yield rowsIn(window) / 32
        yield* operand.fill(other, window)
        unite(bits, other, window)
      }
      bitmaps.give(other)
    },
    test: (row) => operands.some((operand) => operand.test(row)),
  }
}

export function conjunction(all: readonly Filter[], scope: Scope): Filter {
  const operands = all.filter(({ constant }) => constant !== true)
  const [only] = operands
  if (only === undefined) return constantFilter(true, scope)
  if (operands.length === 1) return only
  if (operands.some(({ constant }) => constant === false)) return constantFilter(false, scope)
  const rarestFirst = operands.sort((a, b) => a.atMost - b.atMost || a.effort - b.effort)
  return {
    atMost: (rarestFirst[0] as Filter).atMost,
    effort: sumOf(operands, 'effort'),
    effortPerRow: sumOf(operands, 'effortPerRow'),
    fill: (bits, window) => fillConjunction(rarestFirst, scope, bits, window),
    test: (row) => rarestFirst.every((operand) => operand.test(row)),
  }
}

function* fillConjunction(
  [first, ...rest]: readonly Filter[],
  scope: Scope,
  bits: Bits,
  window: Window,
): Work<void> {
  yield* (first ?? constantFilter(true, scope)).fill(bits, window)
  for (const operand of rest) {
    window = narrowed(bits, window)
    const left = countRows(bits, window)
    if (left === 0) return
    const share = rowsIn(window) / (scope.count + 1)
    if (left * operand.effortPerRow < operand.effort * share) {
      yield left * operand.effortPerRow
      yield* keepPassing(bits, window, operand)
    } else {
      const other = scope.bitmaps.take()
      yield* operand.fill(other, window)
      intersect(bits, other, window)
      scope.bitmaps.give(other)
    }
  }
}

function* keepPassing(bits: Bits, window: Window, { test, effortPerRow }: Filter): Work<void> {
  const words = wordsPerBlock(effortPerRow)
  for (let from = window.from; from < window.to; from += words) {
    if (from > window.from) yield
    keepRows(bits, { from, to: Math.min(window.to, from + words) }, test)
  }
}

/** Most rows scanned between two checks of the clock: well under a millisecond. */
const MOST_BETWEEN_LOOKS = 1 << 19

const MOST_WORDS_PER_BLOCK = 1 << 9

/** Words between two checks of the clock: fewer when a row is expensive, e.g. an amount that is tested for many parts. */
export const wordsPerBlock = (effortPerRow: number): number =>
  Math.max(1, Math.min(MOST_WORDS_PER_BLOCK, Math.floor(MOST_BETWEEN_LOOKS / (32 * effortPerRow))))

function sumOf(filters: readonly Filter[], property: 'atMost' | 'effort' | 'effortPerRow'): number {
  let sum = 0
  for (const filter of filters) sum += filter[property]
  return sum
}
