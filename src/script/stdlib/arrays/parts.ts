/** Functions that copy a part of an array, or all of it with one element more or less. */
import { ScriptFailure } from '../../failure.ts'
import { requireInteger, requirePosition } from '../../values/integers.ts'
import { numberToText } from '../../values/number-text.ts'
import { ScriptArray } from '../../values/value.ts'
import { any, array, define, type NativeContext, number, optional } from '../definition.ts'
import { countArray } from './new-arrays.ts'

const category = 'Arrays'

/** From a position up to but not including another, both within the array. */
function part(array: ScriptArray, from: number, to: number, context: NativeContext): ScriptArray {
  countArray(Math.max(to - from, 0), context)
  return new ScriptArray(array.items.slice(from, to))
}

export const slice = define({
  name: 'Slice',
  category,
  parameters: [array('arr'), number('start'), optional(number('end'))],
  returns: 'array',
  about: 'The elements from a position up to but not including another, or to the end of the array.',
  body(context, arr, start, end = arr.items.length) {
    requirePosition(start, 'Slice', 'start')
    requirePosition(end, 'Slice', 'end')
    const from = Math.max(start, 0)
    return part(arr, from, Math.max(Math.min(end, arr.items.length), from), context)
  },
})

export const skip = define({
  name: 'Skip',
  category,
  parameters: [array('left'), number('right')],
  returns: 'array',
  about: 'Leaves out a number of elements at the start of an array.',
  body(context, left, right) {
    const count = Math.trunc(right)
    if (!(count >= 0)) {
      throw new ScriptFailure('JM5002', `Skip cannot leave out ${numberToText(right)} elements`)
    }
    const { length } = left.items
    return part(left, Math.min(count, length), length, context)
  },
})

export const insert = define({
  name: 'Insert',
  category,
  parameters: [array('array'), number('index'), any('value')],
  returns: 'array',
  about: 'Copies an array with one more element at a position.',
  body(context, array, index, value) {
    const { items } = array
    requireInteger(index, 'Insert', 'index')
    if (index < 0 || index > items.length) {
      throw new ScriptFailure(
        'JM5300',
        `Insert: the index ${numberToText(index)} is outside of an array of ${items.length} elements`,
      )
    }
    countArray(items.length + 1, context, items)
    return new ScriptArray(items.toSpliced(index, 0, value))
  },
})

export const removeAt = define({
  name: 'RemoveAt',
  category,
  parameters: [array('left'), number('right')],
  returns: 'array',
  about: 'Copies an array without the element at a position; copies all of it if there is no such position.',
  body(context, left, right) {
    requireInteger(right, 'RemoveAt', 'index')
    const { items } = left
    if (right < 0 || right >= items.length) return part(left, 0, items.length, context)
    countArray(items.length - 1, context)
    return new ScriptArray(items.toSpliced(right, 1))
  },
})

export const removeFirst = define({
  name: 'RemoveFirst',
  category,
  parameters: [array('value')],
  returns: 'array',
  about: 'Copies an array without its first element.',
  body: (context, value) => part(value, Math.min(1, value.items.length), value.items.length, context),
})

export const removeLast = define({
  name: 'RemoveLast',
  category,
  parameters: [array('value')],
  returns: 'array',
  about: 'Copies an array without its last element.',
  body: (context, value) => part(value, 0, Math.max(value.items.length - 1, 0), context),
})
