/**
 * Functions that call a lambda for the elements of an array (language reference, 10.8). A lambda may write or append to that
 * array: the number of calls is the length at the start.
 */
import { isTruthy } from '../../values/kinds.ts'
import { ENTRY_BYTES } from '../../values/sizes.ts'
import { ScriptArray, type Value } from '../../values/value.ts'
import {
  any,
  array,
  define,
  type Invocation,
  lambda,
  type NativeFunction,
  type Steps,
} from '../definition.ts'
import { introsort, sortNow } from './introsort.ts'
import { countArray, countedArray, fill, newArray, push } from './new-arrays.ts'
import { compareKeys } from './ordering.ts'

const category = 'Lambdas'

/** The elements up to the present length; each is read when its turn comes. */
function* elementsOf({ items }: ScriptArray): Generator<Value, void, undefined> {
  const { length } = items
  for (let i = 0; i < length; i++) yield items[i] as Value
}

const map = define({
  name: 'Map',
  category,
  parameters: [array('array'), lambda('callback')],
  returns: 'array',
  about: 'The results of a lambda for all elements.',
  *steps(context, array, callback): Steps {
    const results = countedArray(array.items.length, context)
    for (const item of elementsOf(array)) {
      fill(results, yield { callback, args: [item], holding: results }, context)
    }
    return results
  },
})

const where = define({
  name: 'Where',
  category,
  parameters: [array('array'), lambda('callback')],
  returns: 'array',
  about: 'The elements for which a lambda gives a true value.',
  *steps(context, array, callback): Steps {
    const found = newArray(context)
    for (const item of elementsOf(array)) {
      context.work(1)
      if (isTruthy(yield { callback, args: [item] })) push(found, item, context)
    }
    return found
  },
})

const each = define({
  name: 'Each',
  category,
  parameters: [array('array'), lambda('callback')],
  returns: 'null',
  about: 'Calls a lambda for each element and ignores its results.',
  *steps(context, array, callback): Steps {
    for (const item of elementsOf(array)) {
      context.work(1)
      yield { callback, args: [item] }
    }
    return null
  },
})

const find = define({
  name: 'Find',
  category,
  parameters: [array('array'), lambda('callback')],
  returns: 'any',
  about: 'The first element for which a lambda gives a true value, or null.',
  *steps(context, array, callback): Steps {
    for (const item of elementsOf(array)) {
      context.work(1)
      if (isTruthy(yield { callback, args: [item] }) && item !== null) return item
    }
    return null
  },
})

/** Calls the lambda until a result decides the question. */
const quantifier = (name: 'All' | 'Any', about: string): NativeFunction => {
  const decisive = name === 'Any'
  return define({
    name,
    category,
    parameters: [array('array'), lambda('callback')],
    returns: 'boolean',
    about,
    *steps(context, array, callback): Steps {
      for (const item of elementsOf(array)) {
        context.work(1)
        if (isTruthy(yield { callback, args: [item] }) === decisive) return decisive
      }
      return !decisive
    },
  })
}

const all = quantifier(
  'All',
  'Whether a lambda gives a true value for every element; true for an empty array.',
)
const anyOf = quantifier(
  'Any',
  'Whether a lambda gives a true value for some element; false for an empty array.',
)

const reduce = define({
  name: 'Reduce',
  category,
  parameters: [array('array'), lambda('callback'), any('initial')],
  returns: 'any',
  about:
    'Combines all elements: a lambda takes the result so far, at first the initial value, and the next element.',
  *steps(context, array, callback, initial): Steps {
    let accumulator = initial
    for (const item of elementsOf(array)) {
      context.work(1)
      accumulator = yield { callback, args: [accumulator, item] }
    }
    return accumulator
  },
})

const sortBy = define({
  name: 'SortBy',
  category,
  parameters: [array('array'), lambda('callback')],
  returns: 'array',
  about: 'Sorts by the numbers or texts that a lambda gives; it is called for both sides of each comparison.',
  containsFailures: true,
  *steps(context, array, callback): Steps {
    const { items: given } = array
    countArray(given.length, context)
    if (callback.isPure && given.length > 1) {
      // One call per element gives the same order as calls for both sides of each comparison.
      const keys = countedArray(given.length, context)
      context.allocate(ENTRY_BYTES * given.length)
      for (const item of given) fill(keys, yield { callback, args: [item], holding: keys }, context)
      const keyed = keys.items.map((key, i) => ({ item: given[i] as Value, key }))
      sortNow(keyed, (left, right) => compareKeys(left.key, right.key, context))
      return new ScriptArray(keyed.map(({ item }) => item))
    }
    const items = [...given]
    yield* introsort(items, function* compare(left: Value, right: Value): Comparing {
      const leftKey = yield { callback, args: [left] }
      const rightKey = yield { callback, args: [right] }
      return compareKeys(leftKey, rightKey, context)
    })
    return new ScriptArray(items)
  },
})

type Comparing = Generator<Invocation, number, Value>

export const lambdaFunctions: readonly NativeFunction[] = [map, where, each, find, all, anyOf, reduce, sortBy]
