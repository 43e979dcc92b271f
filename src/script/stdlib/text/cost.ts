/** Counts the cost of texts before they are made. */
import { ScriptFailure } from '../../failure.ts'
import { TEXT_BYTES, UNIT_BYTES } from '../../values/sizes.ts'
import type { NativeContext } from '../definition.ts'

/** Longest text of JavaScript, in UTF-16 units. Only a run without a limit of memory reaches it. */
const MOST_UNITS = 2 ** 29 - 24

/** Counts a text of this length in units, before the caller makes it and hands it to `newText`. */
export function countText(length: number, context: NativeContext): void {
  requireLength(length)
  context.allocate(TEXT_BYTES + UNIT_BYTES * length)
  countReading(length, context)
}

/** @throws ScriptFailure JM5910 if no text can be as long */
export function requireLength(length: number): void {
  if (length <= MOST_UNITS) return
  throw new ScriptFailure('JM5910', `A text of ${length} characters does not fit into memory`, 'memoryBytes')
}

/** Counts reading this many units of text once. */
export const countReading = (units: number, context: NativeContext): void =>
  context.work(1 + Math.floor(units / 100))
