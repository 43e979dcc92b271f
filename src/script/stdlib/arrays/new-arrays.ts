/** Counts the arrays that functions make, before elements are copied into them. */
import { ScriptFailure } from '../../failure.ts'
import type { ScriptArray, Value } from '../../values/value.ts'
import type { NativeContext } from '../definition.ts'

const ARRAY_BYTES = 48
const ELEMENT_BYTES = 16

/** JavaScript arrays do not hold more elements well. Only a run without a limit of memory gets here. */
const MOST_ELEMENTS = 100_000_000

/** Counts an array of this length, which the caller makes next without counting it again. */
export function countArray(length: number, context: NativeContext): void {
  context.allocate(ARRAY_BYTES + ELEMENT_BYTES * length)
  if (!(length <= MOST_ELEMENTS)) {
    throw new ScriptFailure(
      'JM5910',
      `An array of ${length} elements does not fit into memory`,
      'memoryBytes',
    )
  }
  context.work(length)
}

/** Adds an element to an array that the calling function made. */
export function push(array: ScriptArray, item: Value, context: NativeContext): void {
  context.allocate(ELEMENT_BYTES)
  array.items.push(item)
}

export function pushAll(array: ScriptArray, items: readonly Value[], context: NativeContext): void {
  context.allocate(ELEMENT_BYTES * items.length)
  context.work(items.length)
  for (const item of items) array.items.push(item)
}
