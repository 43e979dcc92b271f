/** Counts the arrays that functions make, before elements are copied into them. */
import { ScriptFailure } from '../../failure.ts'
import { ARRAY_BYTES, bytesInPlace, bytesOfGrownList, bytesOfList, PLACE_BYTES } from '../../values/sizes.ts'
import { ScriptArray, type Value } from '../../values/value.ts'
import type { NativeContext } from '../definition.ts'

/** JavaScript arrays do not hold more elements well. Only a run without a limit of memory gets here. */
const MOST_ELEMENTS = 100_000_000

/**
 * Counts an array of this length, which the caller makes next without counting it again.
 *
 * @param sources lists whose elements go into it beside others: a list of numbers alone has its numbers in its places, and with
 *   any other value each becomes an object
 */
export function countArray(
  length: number,
  context: NativeContext,
  ...sources: readonly (readonly Value[])[]
): void {
  count(length, bytesOfList(length), context)
  let bytes = 0
  for (const source of sources) for (const item of source) bytes += bytesInPlace(item)
  context.allocate(bytes)
}

/** Counts an array of this length, and returns it without elements. {@link fill} puts them in. */
export function countedArray(length: number, context: NativeContext): ScriptArray {
  count(length, bytesOfGrownList(length), context)
  return growingArray()
}

function count(length: number, bytes: number, context: NativeContext): void {
  context.allocate(ARRAY_BYTES + bytes)
  if (!(length <= MOST_ELEMENTS)) {
    throw new ScriptFailure(
      'JM5910',
      `An array of ${length} elements does not fit into memory`,
      'memoryBytes',
    )
  }
  context.work(length)
}

/** An array that {@link push} fills. */
export function newArray(context: NativeContext): ScriptArray {
  context.allocate(ARRAY_BYTES)
  return growingArray()
}

/** Its version says that its list has places in reserve. */
function growingArray(): ScriptArray {
  const array = new ScriptArray([])
  array.version = 1
  return array
}

/** Adds an element to an array that the calling function made. */
export function push(array: ScriptArray, item: Value, context: NativeContext): void {
  const { items } = array
  context.allocate((items.length === 0 ? FIRST_PLACES : PLACE_BYTES) + bytesInPlace(item))
  items.push(item)
}

/** Puts the next element into an array whose places are counted. */
export function fill(array: ScriptArray, item: Value, context: NativeContext): void {
  context.allocate(bytesInPlace(item))
  array.items.push(item)
}

const FIRST_PLACES = bytesOfGrownList(1)

export function pushAll(array: ScriptArray, items: readonly Value[], context: NativeContext): void {
  context.work(items.length)
  for (const item of items) push(array, item, context)
}
