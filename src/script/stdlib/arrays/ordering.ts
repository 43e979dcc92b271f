/** Orders values for the functions of the library. Pairs that are not compared here have no order. */
import type { Value } from '../../values/value.ts'
import type { NativeContext } from '../definition.ts'

/** NaN comes before all numbers and is equal to itself. */
export function compareNumbers(left: number, right: number): number {
  if (left < right) return -1
  if (left > right) return 1
  if (left === right) return 0
  if (Number.isNaN(left)) return Number.isNaN(right) ? 0 : -1
  return 1
}

/** Compares by UTF-16 unit. */
function compareTexts(left: string, right: string, context: NativeContext): number {
  context.work(Math.floor(Math.min(left.length, right.length) / 100))
  if (left === right) return 0
  return left < right ? -1 : 1
}

/** False comes before true; `null` if the two have no order. */
export function compareScalars(left: Value, right: Value, context: NativeContext): number | null {
  if (typeof left === 'number') return typeof right === 'number' ? compareNumbers(left, right) : null
  if (typeof left === 'string') return typeof right === 'string' ? compareTexts(left, right, context) : null
  if (typeof left === 'boolean') return typeof right === 'boolean' ? Number(left) - Number(right) : null
  return null
}

/** Order of `Sort`: null comes first, and values without an order count as equal. */
export function compareElements(left: Value, right: Value, context: NativeContext): number {
  context.work(1)
  if (left === null || right === null) return Number(left !== null) - Number(right !== null)
  return compareScalars(left, right, context) ?? 0
}

/** Order of `SortBy` and `SortByField`: only pairs of numbers and pairs of texts can differ. */
export function compareKeys(left: Value, right: Value, context: NativeContext): number {
  context.work(1)
  if (typeof left === 'boolean') return 0
  return compareScalars(left, right, context) ?? 0
}
