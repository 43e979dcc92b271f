/** `Sort` and `SortByField`. Both copy the array; the order of ties is that of the algorithm (language reference, 10.9). */
import { ENTRY_BYTES } from '../../values/sizes.ts'
import { ScriptArray, type Value } from '../../values/value.ts'
import { array, define, text } from '../definition.ts'
import { fieldReader } from '../paths.ts'
import { sortNow } from './introsort.ts'
import { countArray } from './new-arrays.ts'
import { compareElements, compareKeys } from './ordering.ts'

const category = 'Arrays'

export const sort = define({
  name: 'Sort',
  category,
  parameters: [array('value')],
  returns: 'array',
  about:
    'Sorts numbers, texts or booleans in ascending order, nulls first; elements without an order count as equal.',
  body(context, value) {
    countArray(value.items.length, context)
    const items = [...value.items]
    sortNow(items, (left, right) => compareElements(left, right, context))
    return new ScriptArray(items)
  },
})

type Keyed = { readonly item: Value; readonly key: Value }

export const sortByField = define({
  name: 'SortByField',
  category,
  parameters: [array('array'), text('fieldName'), text('direction')],
  returns: 'array',
  about:
    'Sorts objects by a field that holds numbers or texts: descending if the direction is `desc`, else ascending.',
  body(context, array, fieldName, direction) {
    countArray(array.items.length, context)
    context.allocate(ENTRY_BYTES * array.items.length)
    const read = fieldReader(fieldName, context)
    const keyed: Keyed[] = array.items.map((item) => ({ item, key: read(item) }))
    // Descending is a different comparison and not the ascending order in reverse: ties show the difference.
    const sign = direction.length === 4 && direction.toLowerCase() === 'desc' ? -1 : 1
    sortNow(keyed, (left, right) => sign * compareKeys(left.key, right.key, context))
    return new ScriptArray(keyed.map(({ item }) => item))
  },
})
