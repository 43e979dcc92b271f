/**
 * A predicate made ready for one scope: it can fill a bitmap, or be asked about single rows when few are left to ask
 * about. Conjunctions begin with what is rarest and go on with whichever of the two is cheaper.
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
  /** What every row answers, where that is known beforehand. */
  readonly constant?: boolean
  /** The rows that can match, as far as that is known beforehand: never fewer than do. */
  readonly atMost: number
  /** What filling the whole bitmap costs, in rows scanned. */
  readonly effort: number
  /** What asking about a single row costs, in rows scanned. */
  readonly effortPerRow: number
  /** Writes the window's words. */
  readonly fill: (bits: Bits, window: Window) => Work<void>
  readonly test: (row: number) => boolean
}

/** What it takes to ask about one row rather than scan it along with others. */
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

/** What may be done between two looks at the clock, in rows scanned: well under a millisecond. */
const MOST_BETWEEN_LOOKS = 1 << 19

const MOST_WORDS_PER_BLOCK = 1 << 9

/** Words between two looks at the clock: fewer where a row takes long, such as an amount tested for many parts. */
export const wordsPerBlock = (effortPerRow: number): number =>
  Math.max(1, Math.min(MOST_WORDS_PER_BLOCK, Math.floor(MOST_BETWEEN_LOOKS / (32 * effortPerRow))))

function sumOf(filters: readonly Filter[], property: 'atMost' | 'effort' | 'effortPerRow'): number {
  let sum = 0
  for (const filter of filters) sum += filter[property]
  return sum
}
