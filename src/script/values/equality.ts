/**
 * Whether two values are equal (language reference, 4.5): by value and recursively, without any conversion. Surprises are the
 * language's: infinity is not equal to itself, and in the strict dialect nothing that holds a null is equal to anything.
 */
import { MOST_LEVELS, nestedTooDeeply } from './nesting.ts'
import { ScriptArray, ScriptObject, type Value } from './value.ts'

type Comparison = {
  readonly work: (units: number) => void
  /** So it is in the service dialect, inside of arrays and objects too. */
  /** As operators of the service dialect have it, and nothing else. */
  readonly nullEqualsNull?: boolean
}

/** Functions are equal to themselves, or (in `switch` and in searches) to nothing. */
type FunctionEquality = 'same' | 'never'

/** Comparing shorter texts costs no more than counting it. */
const LONG_TEXT = 1000

/** @throws ScriptFailure JM5002 for values that contain themselves */
export const areEqual = (
  left: Value,
  right: Value,
  context: Comparison,
  functions: FunctionEquality = 'same',
): boolean => equalAt(left, right, context, functions, 0)

/** The same array or object may be unequal to itself, so identity is no shortcut. */
function equalAt(
  left: Value,
  right: Value,
  context: Comparison,
  functions: FunctionEquality,
  level: number,
): boolean {
  if (left === null || right === null) return left === right && context.nullEqualsNull === true
  switch (typeof left) {
    case 'string':
      return typeof right === 'string' && equalTexts(left, right, context)
    case 'number':
      return left === right && Number.isFinite(left)
    case 'boolean':
      return left === right
  }
  if (left instanceof ScriptArray) {
    return right instanceof ScriptArray && equalArrays(left, right, context, functions, level)
  }
  if (left instanceof ScriptObject) {
    return right instanceof ScriptObject && equalObjects(left, right, context, functions, level)
  }
  return functions === 'same' && left === right
}

function equalTexts(left: string, right: string, context: Comparison): boolean {
  if (left.length !== right.length) return false
  if (left.length >= LONG_TEXT) context.work(Math.ceil(left.length / 100))
  return left === right
}

function equalArrays(
  { items: left }: ScriptArray,
  { items: right }: ScriptArray,
  context: Comparison,
  functions: FunctionEquality,
  level: number,
): boolean {
  if (left.length !== right.length) return false
  if (level >= MOST_LEVELS) throw nestedTooDeeply()
  context.work(1)
  for (let i = 0; i < left.length; i++) {
    context.work(1)
    if (!equalAt(left[i]!, right[i]!, context, functions, level + 1)) return false
  }
  return true
}

function equalObjects(
  left: ScriptObject,
  right: ScriptObject,
  context: Comparison,
  functions: FunctionEquality,
  level: number,
): boolean {
  if (left.size !== right.size) return false
  if (level >= MOST_LEVELS) throw nestedTooDeeply()
  context.work(1)
  const { keys, slots } = left
  for (let slot = 0; slot < keys.length; slot++) {
    context.work(1)
    const key = keys[slot]
    if (key === undefined) continue
    const place = right.placeOf(key)
    if (place < 0) return false
    if (!equalAt(slots[slot]!, right.slots[place]!, context, functions, level + 1)) return false
  }
  return true
}
