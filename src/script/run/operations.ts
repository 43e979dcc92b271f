/** Operators, accesses and conversions for values of every kind (language reference, sections 4 and 5). */
import { ScriptFailure } from '../failure.ts'
import type { NativeContext } from '../stdlib/definition.ts'
import { typeNames } from '../syntax/ast.ts'
import { areEqual } from '../values/equality.ts'
import { toInteger } from '../values/integers.ts'
import { kindOf } from '../values/kinds.ts'
import { parseNumber } from '../values/number-text.ts'
import { numberBeside } from '../values/numeric-text.ts'
import { refuseSequence } from '../values/only-foreach.ts'
import {
  bytesInPlace,
  bytesOfGrownList,
  FREE_PLACES_BYTES,
  PLACE_BYTES,
  TABLE_BYTES,
  TEXT_BYTES,
  UNIT_BYTES,
} from '../values/sizes.ts'
import { toText } from '../values/to-text.ts'
import { ScriptArray, ScriptObject, type Value } from '../values/value.ts'

/** The slow path: the machine itself adds two numbers. */
export function add(left: Value, right: Value, context: NativeContext): Value {
  if (typeof left === 'number' && typeof right === 'number') return left + right
  if (typeof left === 'string') return context.concatenate(left, textOf(right, context))
  const isScalar = left === null || typeof left === 'number' || typeof left === 'boolean'
  if (isScalar && typeof right === 'string') return context.concatenate(textOf(left, context), right)
  if (left instanceof ScriptArray && right instanceof ScriptArray) {
    context.work(left.items.length + right.items.length)
    return context.array(left.items.concat(right.items))
  }
  throw undefinedOperator('Add', left, right)
}

const textOf = (value: Value, { work }: NativeContext): string =>
  typeof value === 'string' ? value : toText(value, work)

export type NumericOperator = 'Subtract' | 'Multiply' | 'Divide' | 'Modulo'

/** The slow path: the machine itself computes with two numbers, except for a divisor of zero. */
export function compute(operator: NumericOperator, left: Value, right: Value): number {
  if (typeof left !== 'number' || typeof right !== 'number') throw undefinedOperator(operator, left, right)
  switch (operator) {
    case 'Subtract':
      return left - right
    case 'Multiply':
      return left * right
    case 'Divide':
      if (right === 0) throw new ScriptFailure('JM5200', 'A number was divided by zero')
      return left / right
    case 'Modulo':
      if (right === 0) throw new ScriptFailure('JM5201', 'The remainder of a division by zero was asked for')
      return left % right
  }
}

export type Comparison = 'LessThan' | 'LessThanOrEqual' | 'GreaterThan' | 'GreaterThanOrEqual'

/**
 * Compares numbers with numbers and texts with texts. In the service dialect a number is also compared with a numeric text, as
 * two numbers.
 */
export function compare(operator: Comparison, left: Value, right: Value, equality: Equality): boolean {
  if (typeof left === 'string' && typeof right === 'string') {
    countTexts(left, right, equality.work)
    return isOrdered(operator, left, right)
  }
  if (typeof left === 'number' && typeof right === 'number') return isOrdered(operator, left, right)
  if (equality.numericTextIsNumber !== true) throw undefinedOperator(operator, left, right)
  const [a, b] = [numberBeside(right, left, equality), numberBeside(left, right, equality)]
  if (a === null || b === null) throw incomparable(operator, left, right)
  return isOrdered(operator, a, b)
}

function isOrdered<V extends number | string>(operator: Comparison, left: V, right: V): boolean {
  switch (operator) {
    case 'LessThan':
      return left < right
    case 'LessThanOrEqual':
      return left <= right
    case 'GreaterThan':
      return left > right
    case 'GreaterThanOrEqual':
      return left >= right
  }
}

/** The message does not quote the text, which may be long or a secret. */
function incomparable(operator: Comparison, left: Value, right: Value): ScriptFailure {
  const isMixed =
    (typeof left === 'number' && typeof right === 'string') ||
    (typeof left === 'string' && typeof right === 'number')
  if (!isMixed) return undefinedOperator(operator, left, right)
  return new ScriptFailure(
    'JM5206',
    `The operator ${operator} compares a Number with a String only if the text is a number, such as "10" or "-2.5"; this text is not`,
  )
}

/** Whether null equals null, and a number a numeric text, depends on the dialect. */
export type Equality = Parameters<typeof areEqual>[2]

/** Numbers are equal if their difference is zero, so infinity is not equal to itself. */
export function equals(left: Value, right: Value, equality: Equality): boolean {
  if (typeof left === 'number' && typeof right === 'number') return left - right === 0
  if (typeof left === 'string' && typeof right === 'string') {
    if (left.length !== right.length) return false
    countTexts(left, right, equality.work)
    return left === right
  }
  return areEqual(left, right, equality)
}

/** Comparing long texts takes time, above all texts that were concatenated just before. */
function countTexts(left: string, right: string, work: Equality['work']): void {
  const units = Math.min(left.length, right.length)
  if (units >= LONG_TEXT) work(units / UNITS_PER_WORK)
}

const LONG_TEXT = 1000
const UNITS_PER_WORK = 25

export function negated(value: Value): number {
  if (typeof value !== 'number') {
    throw new ScriptFailure('JM5207', `'-' in front of a value (Negate) is not defined for ${kindOf(value)}`)
  }
  return -value
}

const undefinedOperator = (operator: string, left: Value, right: Value): ScriptFailure =>
  new ScriptFailure(
    'JM5206',
    `The operator ${operator} is not defined for ${kindOf(left)} and ${kindOf(right)}`,
  )

/** @param type its place in the type names */
export function isOfType(value: Value, type: number): boolean {
  const kind = kindOf(value)
  return kind !== 'Function' && kind.toLowerCase() === typeNames[type]
}

/** Converts a value to the type of a hint (section 4.10). @throws ScriptFailure JM5100 */
export function coerce(value: Value, type: number, name: string, context: NativeContext): Value {
  const converted = converters[type]?.(value, context)
  if (converted !== undefined) return converted
  const message = `'${name}' takes ${article(typeNames[type] as string)}; ${kindOf(value)} cannot be made one`
  throw new ScriptFailure('JM5100', message)
}

const article = (type: string): string =>
  type === 'null' ? 'null' : `${/^[ao]/.test(type) ? 'an' : 'a'} ${type}`

/** Converters by the number of the type. */
const converters: readonly ((value: Value, context: NativeContext) => Value | undefined)[] = [
  (value, { work }) => {
    if (typeof value === 'string') {
      if (value.length >= LONG_TEXT) work(value.length / 10)
      return parseNumber(value) ?? undefined
    }
    return typeof value === 'boolean' ? Number(value) : typeof value === 'number' ? value : undefined
  },
  (value, context) => {
    if (typeof value === 'string') return value
    return typeof value === 'number' || typeof value === 'boolean'
      ? context.text(textOf(value, context))
      : undefined
  },
  (value) => {
    if (typeof value === 'number') return value !== 0
    if (typeof value !== 'string' || value.length > 'false'.length) {
      return typeof value === 'boolean' ? value : undefined
    }
    const lower = value.toLowerCase()
    return lower === 'true' ? true : lower === 'false' ? false : undefined
  },
  (value) => (value instanceof ScriptObject ? value : undefined),
  (value) => (value instanceof ScriptArray ? value : undefined),
  (value) => (value === null ? null : undefined),
]

/** Reading fails only for an index that does not round to a 32-bit integer. */
export function elementOf(container: Value, index: Value): Value {
  refuseSequence(container)
  if (container instanceof ScriptObject) return typeof index === 'string' ? container.read(index) : null
  if (typeof index !== 'number') return null
  if (container instanceof ScriptArray) return container.items[toInteger(index, 'an index')] ?? null
  return typeof container === 'string' ? (container[toInteger(index, 'an index')] ?? null) : null
}

export function setElement(container: Value, index: Value, value: Value, context: NativeContext): void {
  if (container instanceof ScriptObject) {
    if (typeof index === 'string') setMember(container, index, value, context)
  } else if (container instanceof ScriptArray) {
    if (typeof index === 'number') setItem(container, toInteger(index, 'an index'), value, context)
  } else {
    throw new ScriptFailure(
      'JM5307',
      `An element of ${kindOf(container)} cannot be set; only objects and arrays have any`,
    )
  }
}

function setItem(array: ScriptArray, index: number, value: Value, { allocate, work }: NativeContext): void {
  if (index < 0) return
  const { items } = array
  const gap = index - items.length
  if (gap >= 0) {
    allocate(bytesOfPlaces(array, gap + 1) + bytesInPlace(value))
    for (let filled = 0; filled < gap; filled++) {
      if (filled % ITEMS_PER_LOOK === 0) work(ITEMS_PER_LOOK)
      items.push(null)
    }
    items.push(value)
  } else {
    allocate(bytesInPlace(value))
    items[index] = value
  }
  array.version++
}

/** Memory of further elements at the end. The first one of a list takes places in reserve. */
export const bytesOfPlaces = ({ items: { length }, version }: ScriptArray, more: number): number =>
  version === 0 || length === 0
    ? bytesOfGrownList(length + more)
    : length + more <= FIRST_PLACES
      ? 0
      : PLACE_BYTES * more

/** The places that a list has once it has grown. */
const FIRST_PLACES = 17

const ITEMS_PER_LOOK = 4096

/** A new key takes memory. */
export function setMember(
  object: ScriptObject,
  key: string,
  value: Value,
  { allocate }: NativeContext,
): void {
  if (object.has(key)) allocate(bytesInPlace(value))
  else {
    const { length } = object.slots
    const places = length === 0 || object.version === 0 ? bytesOfGrownList(length + 1) : PLACE_BYTES
    allocate(places + bytesInPlace(value) + (object.shape?.with(key) ? 0 : bytesOfKey(object, key)))
  }
  object.set(key, value)
}

/** Keys of shapes are shared, so only keys of tables are counted, and the table with its first key. */
const bytesOfKey = ({ shape, slots }: ScriptObject, key: string): number =>
  KEY_BYTES * (shape === null ? 1 : 1 + slots.length) +
  TEXT_BYTES +
  UNIT_BYTES * key.length +
  (shape === null ? 0 : TABLE_BYTES)

/** Places of a key in a table. */
const KEY_BYTES = 64

export const notAnObject = (name: string, value: Value, what: 'set' | 'deleted'): ScriptFailure =>
  new ScriptFailure('JM5306', `'${name}' cannot be ${what}: its container is ${kindOf(value)}, not an object`)

export function deleteMember(container: Value, key: string, { allocate }: NativeContext): void {
  if (!(container instanceof ScriptObject)) throw notAnObject(key, container, 'deleted')
  if (container.shape === null) allocate(PLACE_BYTES)
  else if (container.has(key)) allocate(TABLE_BYTES + FREE_PLACES_BYTES + KEY_BYTES * container.slots.length)
  container.delete(key)
}

/**
 * Reads the step of a `for` in its place.
 * @throws ScriptFailure for a value that cannot be a step
 */
export function checkStep(stack: unknown[], at: number, equality: Equality): void {
  const step = countable(stack[at] as Value, equality)
  if (typeof step !== 'number') throw undefinedOperator('LessThanOrEqual', step, 0)
  if (!Number.isInteger(step) || step <= 0) {
    throw new ScriptFailure('JM5907', `The step of a for loop has to be a positive integer; it is ${step}`)
  }
  stack[at] = step
}

/**
 * Reads the bounds of a `for` in their places. They become numbers, because `"1" + 1` would be "11" after the first round.
 * @throws ScriptFailure for values that cannot be bounds
 */
export function readBounds(
  stack: unknown[],
  { at, end, down }: { readonly at: number; readonly end: number; readonly down: boolean },
  equality: Equality,
): void {
  const variable = countable(stack[at] as Value, equality)
  const limit = countable(stack[end] as Value, equality)
  if (equality.numericTextIsNumber === true && (typeof variable !== 'number' || typeof limit !== 'number')) {
    throw incomparable(down ? 'GreaterThan' : 'LessThan', variable, limit)
  }
  checkBounds(variable, limit, down)
  stack[at] = variable
  stack[end] = limit
}

/** A `for` counts with numbers only, so in the service dialect a numeric text, such as one of a query, is the number. */
const countable = (value: Value, equality: Equality): Value =>
  typeof value === 'string' && equality.numericTextIsNumber === true
    ? (numberBeside(0, value, equality) ?? value)
    : value

/** Accepts numbers only: two texts could be compared, but counting them would never end. */
export function checkBounds(variable: Value, limit: Value, down: boolean): void {
  if (typeof variable === 'number' && typeof limit === 'number') return
  throw undefinedOperator(down ? 'GreaterThan' : 'LessThan', variable, limit)
}
