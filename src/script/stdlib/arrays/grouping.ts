/** `Distinct` and `GroupBy`: finds equal elements, and objects with the same value of a field. */
import { areEqual } from '../../values/equality.ts'
import { ENTRY_BYTES } from '../../values/sizes.ts'
import { toText } from '../../values/to-text.ts'
import { type ScriptArray, ScriptFunction, ScriptObject, type Value } from '../../values/value.ts'
import { array, define, type NativeContext, text } from '../definition.ts'
import { fieldReader } from '../paths.ts'
import { newArray, push } from './new-arrays.ts'

const category = 'Arrays'

export const distinct = define({
  name: 'Distinct',
  category,
  parameters: [array('value')],
  returns: 'array',
  about: 'Keeps only the first of equal elements.',
  body(context, { items }) {
    const isNew = newness(context)
    const kept = newArray(context)
    for (const item of items) if (isNew(item)) push(kept, item, context)
    return kept
  },
})

/**
 * Decides whether a value equals none of the values before. Texts, booleans and finite numbers are looked up; arrays and objects
 * are compared with each one kept before. The other values equal nothing: functions, NaN, infinities and null.
 */
function newness(context: NativeContext): (value: Value) => boolean {
  const scalars = new Set<Value>()
  const containers: Value[] = []
  return (value) => {
    context.work(typeof value === 'string' ? 1 + Math.floor(value.length / 100) : 1)
    if (value instanceof ScriptFunction) return true
    if (typeof value === 'number' && !Number.isFinite(value)) return true
    if (value === null) return true
    if (typeof value !== 'object' || value === null) {
      if (scalars.has(value)) return false
      context.allocate(ENTRY_BYTES)
      scalars.add(value)
      return true
    }
    for (const known of containers) {
      context.work(1)
      if (areEqual(known, value, context, 'never')) return false
    }
    containers.push(value)
    return true
  }
}

export const groupBy = define({
  name: 'GroupBy',
  category,
  parameters: [array('array'), text('fieldName')],
  returns: 'object',
  about:
    'Groups objects by the text of a field: arrays of objects by that text, which is `null` without the field.',
  body(context, array, fieldName) {
    const read = fieldReader(fieldName, context)
    const groups = new Map<string, ScriptArray>()
    for (const item of array.items) {
      if (!(item instanceof ScriptObject)) continue
      const key = keyOf(read(item), context)
      const group = groups.get(key)
      if (group === undefined) {
        context.allocate(ENTRY_BYTES)
        groups.set(key, firstOf(item, context))
      } else push(group, item, context)
    }
    const grouped = context.object()
    for (const [key, group] of groups) context.set(grouped, key, group)
    return grouped
  },
})

function keyOf(value: Value, context: NativeContext): string {
  if (typeof value !== 'string') return context.text(toText(value, context.work))
  context.work(Math.floor(value.length / 100))
  return value
}

function firstOf(item: Value, context: NativeContext): ScriptArray {
  const group = newArray(context)
  push(group, item, context)
  return group
}
