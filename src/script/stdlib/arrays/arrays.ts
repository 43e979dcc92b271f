/** Functions that make, join and read arrays, and the list of all array functions (language reference, 10.2). */
import { randomInt } from 'node:crypto'
import { ScriptFailure } from '../../failure.ts'
import { areEqual } from '../../values/equality.ts'
import { kindOf } from '../../values/kinds.ts'
import { refuseSequence } from '../../values/only-foreach.ts'
import { ScriptArray, ScriptObject, type Value } from '../../values/value.ts'
import { any, array, define, type NativeContext, type NativeFunction } from '../definition.ts'
import { countReading } from '../text/cost.ts'
import { indexOfText } from '../text/search.ts'
import { distinct, groupBy } from './grouping.ts'
import { flatten, flattenOnce, selectMany } from './nesting.ts'
import { countArray } from './new-arrays.ts'
import { insert, removeAt, removeFirst, removeLast, skip, slice } from './parts.ts'
import { range } from './range.ts'
import { sort, sortByField } from './sorting.ts'

const category = 'Arrays'

const length = define({
  name: 'Length',
  category,
  parameters: [any('value')],
  returns: 'number',
  about:
    'Counts the units of a text, the elements of an array or the keys of an object; 0 for null, 1 for anything else.',
  body: (_, value) => lengthOf(value),
})

function lengthOf(value: Value): number {
  if (value === null) return 0
  if (typeof value === 'string') return value.length
  if (value instanceof ScriptArray) return value.items.length
  if (value instanceof ScriptObject) return value.size
  refuseSequence(value)
  return 1
}

const append = define({
  name: 'Append',
  category,
  parameters: [array('left'), any('right')],
  returns: 'array',
  about: 'Copies an array with one more element at its end.',
  body(context, left, right) {
    const { items } = left
    countArray(items.length + 1, context, items)
    // Unlike a spread with a further element, it leaves no places in reserve.
    return new ScriptArray(items.toSpliced(items.length, 0, right))
  },
})

const prepend = define({
  name: 'Prepend',
  category,
  parameters: [array('left'), any('right')],
  returns: 'array',
  about: 'Copies an array with one more element at its start.',
  body(context, left, right) {
    const { items } = left
    countArray(items.length + 1, context, items)
    return new ScriptArray(items.toSpliced(0, 0, right))
  },
})

const first = define({
  name: 'First',
  category,
  parameters: [array('value')],
  returns: 'any',
  about: 'The first element of an array, or null when it is empty.',
  body: (_, value) => value.items[0] ?? null,
})

const last = define({
  name: 'Last',
  category,
  parameters: [array('value')],
  returns: 'any',
  about: 'The last element of an array, or null when it is empty.',
  body: (_, value) => value.items.at(-1) ?? null,
})

const indexOf = define({
  name: 'IndexOf',
  category,
  parameters: [any('left'), any('right')],
  returns: 'number',
  about: 'The position of a text in a text, or of an equal element in an array; -1 if there is none.',
  body(context, left, right) {
    if (typeof left === 'string' && typeof right === 'string') {
      countReading(left.length + right.length, context)
      return indexOfText(left, right)
    }
    if (left instanceof ScriptArray) return indexOfElement(left, right, context)
    throw new ScriptFailure(
      'JM5704',
      `IndexOf looks for a String in a String, or for anything in an Array, not for ${kindOf(right)} in ${kindOf(left)}`,
    )
  },
})

function indexOfElement(array: ScriptArray, wanted: Value, context: NativeContext): number {
  for (const [index, item] of array.items.entries()) {
    context.work(1)
    if (areEqual(item, wanted, context, 'never')) return index
  }
  return -1
}

const reverse = define({
  name: 'Reverse',
  category,
  parameters: [array('value')],
  returns: 'array',
  about: 'Copies an array in reverse order.',
  body(context, value) {
    countArray(value.items.length, context)
    return new ScriptArray(value.items.toReversed())
  },
})

const concatenate = define({
  name: 'Concatenate',
  category,
  parameters: [array('left'), array('right')],
  returns: 'array',
  about: 'Copies two arrays into one, the elements of the left one first.',
  body(context, left, right) {
    countArray(left.items.length + right.items.length, context, left.items, right.items)
    return new ScriptArray(left.items.concat(right.items))
  },
})

const randomChoice = define({
  name: 'RandomChoice',
  category,
  parameters: [array('value')],
  returns: 'any',
  about: 'A random element of an array, from a secure source; null when the array is empty.',
  body: (_, { items }) => (items.length === 0 ? null : (items[randomInt(items.length)] ?? null)),
})

export const arrayFunctions: readonly NativeFunction[] = [
  length,
  append,
  prepend,
  first,
  last,
  indexOf,
  reverse,
  slice,
  concatenate,
  distinct,
  sort,
  flatten,
  flattenOnce,
  range,
  skip,
  insert,
  removeAt,
  removeFirst,
  removeLast,
  randomChoice,
  sortByField,
  groupBy,
  selectMany,
]
