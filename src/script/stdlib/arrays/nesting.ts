/** Functions that collect the elements of arrays inside an array, or inside its objects. */

import { ScriptArray, type Value } from '../../values/value.ts'
import { MOST_LEVELS, nestedTooDeeply } from '../../values/value-walk.ts'
import { array, define, type NativeContext, text } from '../definition.ts'
import { fieldReader } from '../paths.ts'
import { countArray, newArray, push, pushAll } from './new-arrays.ts'

const category = 'Arrays'

export const flatten = define({
  name: 'Flatten',
  category,
  parameters: [array('value')],
  returns: 'array',
  about: 'All elements of an array and of the arrays in it, at every level.',
  body: (context, value) => flattened(value, context),
})

/** Arrays without any element at any level are walked once: shared many times, they would cost time and add nothing. */
function flattened(value: ScriptArray, context: NativeContext): ScriptArray {
  const found = newArray(context)
  const barren = new Set<ScriptArray>()
  const levels = [{ array: value, next: 0, foundBefore: 0 }]
  for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
    context.work(1)
    const item = level.array.items[level.next++]
    if (item === undefined) {
      if (found.items.length === level.foundBefore) barren.add(level.array)
      levels.pop()
    } else if (!(item instanceof ScriptArray)) push(found, item, context)
    else if (barren.has(item)) continue
    else if (levels.length === MOST_LEVELS) throw nestedTooDeeply()
    else levels.push({ array: item, next: 0, foundBefore: found.items.length })
  }
  return found
}

export const flattenOnce = define({
  name: 'FlattenOnce',
  category,
  parameters: [array('value')],
  returns: 'array',
  about: 'The elements of the arrays in an array, and its other elements except nulls.',
  body(context, { items }) {
    context.work(items.length)
    let length = 0
    for (const item of items)
      length += item instanceof ScriptArray ? item.items.length : item === null ? 0 : 1
    countArray(length, context)
    const found: Value[] = []
    for (const item of items) {
      if (item instanceof ScriptArray) countArray(0, context, item.items)
      if (item instanceof ScriptArray) for (const inner of item.items) found.push(inner)
      else if (item !== null) found.push(item)
    }
    return new ScriptArray(found.slice())
  },
})

export const selectMany = define({
  name: 'SelectMany',
  category,
  parameters: [array('array'), text('fieldName')],
  returns: 'array',
  about: 'The elements of the arrays that a field holds, one after the other.',
  body(context, array, fieldName) {
    const found = newArray(context)
    const read = fieldReader(fieldName, context)
    for (const item of array.items) {
      const value = read(item)
      if (value instanceof ScriptArray) pushAll(found, value.items, context)
    }
    return found
  },
})
