/**
 * Decides whether two values are equal (language reference, 4.5): by value and recursively. The language itself is surprising:
 * infinity is not equal to itself, and in the strict dialect a value that contains null equals nothing. Nothing is converted,
 * except that the operators of the service dialect read a numeric text as a number when they compare it with one.
 */

import { numberBeside } from './numeric-text.ts'
import { ScriptArray, ScriptObject, type Value } from './value.ts'
import { MOST_LEVELS, nestedTooDeeply } from './value-walk.ts'

type Comparison = {
  readonly work: (units: number) => void
  /** True for the operators of the service dialect, inside arrays and objects too. */
  readonly nullEqualsNull?: boolean
  /** As above: whether `10 == "10.0"`. */
  readonly numericTextIsNumber?: boolean
}

/** A function is equal to itself, or (in `switch` and in searches) to nothing. */
type FunctionEquality = 'same' | 'never'

/** Comparing shorter texts costs no more than counting the work. */
const LONG_TEXT = 1000

/** @throws ScriptFailure JM5002 for values that contain themselves */
export const areEqual = (
  left: Value,
  right: Value,
  context: Comparison,
  functions: FunctionEquality = 'same',
): boolean =>
  left instanceof ScriptArray || left instanceof ScriptObject
    ? equalNested(left, right, { context, functions, pairs: new EqualPairs() }, 0)
    : equalPlain(left, right, context, functions)

function equalPlain(left: Value, right: Value, context: Comparison, functions: FunctionEquality): boolean {
  if (left === null || right === null) return left === right && context.nullEqualsNull === true
  switch (typeof left) {
    case 'string':
      if (typeof right === 'number') return equalsText(right, left, context)
      return typeof right === 'string' && equalTexts(left, right, context)
    case 'number':
      if (typeof right === 'string') return equalsText(left, right, context)
      return left === right && Number.isFinite(left)
    case 'boolean':
      return left === right
  }
  return functions === 'same' && left === right
}

function equalsText(number: number, text: string, context: Comparison): boolean {
  return (
    context.numericTextIsNumber === true &&
    Number.isFinite(number) &&
    numberBeside(number, text, context) === number
  )
}

function equalTexts(left: string, right: string, context: Comparison): boolean {
  if (left.length !== right.length) return false
  if (left.length >= LONG_TEXT) context.work(Math.ceil(left.length / 100))
  return left === right
}

/** State of one comparison of arrays or objects. */
type Walk = {
  readonly context: Comparison
  readonly functions: FunctionEquality
  readonly pairs: EqualPairs
}

function equalAt(left: Value, right: Value, walk: Walk, level: number): boolean {
  return left instanceof ScriptArray || left instanceof ScriptObject
    ? equalNested(left, right, walk, level)
    : equalPlain(left, right, walk.context, walk.functions)
}

/** An array or object may be unequal to itself, so identity is not a shortcut. */
function equalNested(left: ScriptArray | ScriptObject, right: Value, walk: Walk, level: number): boolean {
  if (!haveSameSize(left, right)) return false
  if (walk.pairs.has(left, right)) return true
  if (level >= MOST_LEVELS) throw nestedTooDeeply()
  walk.context.work(1)
  const equal =
    left instanceof ScriptArray
      ? equalItems(left, right as ScriptArray, walk, level)
      : equalMembers(left, right as ScriptObject, walk, level)
  if (equal) walk.pairs.add(left, right)
  return equal
}

/** Whether these are two arrays, or two objects, of the same size. */
function haveSameSize(left: ScriptArray | ScriptObject, right: Value): right is ScriptArray | ScriptObject {
  return left instanceof ScriptArray
    ? right instanceof ScriptArray && left.items.length === right.items.length
    : right instanceof ScriptObject && left.size === right.size
}

function equalItems(
  { items: left }: ScriptArray,
  { items: right }: ScriptArray,
  walk: Walk,
  level: number,
): boolean {
  for (let i = 0; i < left.length; i++) {
    walk.context.work(1)
    if (!equalAt(left[i]!, right[i]!, walk, level + 1)) return false
  }
  return true
}

function equalMembers(
  { keys, slots }: ScriptObject,
  right: ScriptObject,
  walk: Walk,
  level: number,
): boolean {
  for (let slot = 0; slot < keys.length; slot++) {
    walk.context.work(1)
    const key = keys[slot]
    if (key === undefined) continue
    const place = right.placeOf(key)
    if (place < 0) return false
    if (!equalAt(slots[slot]!, right.slots[place]!, walk, level + 1)) return false
  }
  return true
}

/** Up to this many pairs, comparing again costs less than remembering. */
const UNREMEMBERED_PAIRS = 512

/** The most pairs that are remembered: for large values without shared parts the memory would be wasted. */
const MOST_PAIRS = 1 << 16

/**
 * Pairs of arrays and objects that a comparison has found equal. A part that occurs many times, as after repeated `a = [a, a]`,
 * is compared once: without that, forty such lines take a trillion steps. An unequal pair ends the comparison.
 */
class EqualPairs {
  #known: Map<object, Set<object>> | null = null
  #added = 0

  has(left: object, right: object): boolean {
    return this.#known?.get(left)?.has(right) === true
  }

  add(left: object, right: object): void {
    this.#added++
    if (this.#added <= UNREMEMBERED_PAIRS || this.#added > MOST_PAIRS) return
    this.#known ??= new Map()
    const known = this.#known.get(left)
    if (known === undefined) this.#known.set(left, new Set([right]))
    else known.add(right)
  }
}
