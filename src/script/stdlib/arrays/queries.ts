/** Functions that query arrays of objects (language reference, 10.7). */
import { bytesOfGrownList, ENTRY_BYTES } from '../../values/sizes.ts'
import { ScriptArray, ScriptObject, type Value } from '../../values/value.ts'
import { any, array, define, type NativeContext, type NativeFunction, text } from '../definition.ts'
import { fieldReader, lastSegment } from '../paths.ts'
import { fieldCondition } from './field-conditions.ts'
import { countArray, newArray, push } from './new-arrays.ts'

const category = 'Queries'

/** Whether an element is an object whose field matches. */
type Test = (item: Value) => boolean

const byField = (
  name: string,
  returns: string,
  about: string,
  answer: (items: readonly Value[], test: Test, context: NativeContext) => Value,
): NativeFunction =>
  define({
    name,
    category,
    parameters: [array('array'), text('fieldName'), text('operator'), any('value')],
    returns,
    about,
    body(context, { items }, fieldName, operator, value) {
      const read = fieldReader(fieldName, context)
      const isMet = fieldCondition(operator, value, context)
      const test: Test = (item) => item instanceof ScriptObject && isMet(read(item))
      return answer(items, test, context)
    },
  })

const anyByField = byField(
  'AnyByField',
  'boolean',
  'Whether some object in an array has a field that meets a comparison.',
  (items, test) => items.some(test),
)

const allByField = byField(
  'AllByField',
  'boolean',
  'Whether all elements of an array are objects with a field that meets a comparison.',
  (items, test) => items.every(test),
)

const findByField = byField(
  'FindByField',
  'any',
  'The first object with a field that meets a comparison, or null.',
  (items, test) => items.find(test) ?? null,
)

const whereByField = byField(
  'WhereByField',
  'array',
  'All objects with a field that meets a comparison.',
  (items, test, context) => {
    const found = newArray(context)
    for (const item of items) if (test(item)) push(found, item, context)
    return found
  },
)

const countIf = byField(
  'CountIf',
  'number',
  'The number of objects with a field that meets a comparison.',
  (items, test) => items.reduce<number>((count, item) => count + Number(test(item)), 0),
)

const select = define({
  name: 'Select',
  category,
  parameters: [array('array'), text('fieldName')],
  returns: 'array',
  about: 'A field of each element; null if there is none.',
  body(context, { items }, fieldName) {
    countArray(items.length, context)
    return new ScriptArray(items.map(fieldReader(fieldName, context)))
  },
})

const project = define({
  name: 'Project',
  category,
  parameters: [array('array'), array('fields')],
  returns: 'array',
  about: 'New objects with only the listed fields, each named by the last part of its path.',
  body(context, { items }, fields) {
    const texts = textsIn(fields, context)
    context.allocate(READER_BYTES * texts.length)
    const members = texts.map((path) => ({
      key: lastSegment(path),
      read: fieldReader(path, context),
    }))
    return objectsFrom(items, context, (item, copy) => {
      for (const { key, read } of members) context.set(copy, key, read(item))
    })
  },
})

const omit = define({
  name: 'Omit',
  category,
  parameters: [array('array'), array('fields')],
  returns: 'array',
  about: 'Copies of objects without the listed keys.',
  body(context, { items }, fields) {
    const omitted = new Set<string>()
    for (const text of textsIn(fields, context)) {
      if (!omitted.has(text)) context.allocate(ENTRY_BYTES)
      omitted.add(text)
    }
    return objectsFrom(items, context, (item, copy) => {
      context.work(item.slots.length)
      for (const [key, value] of item.entries()) if (!omitted.has(key)) context.set(copy, key, value)
    })
  },
})

/** What reads a field for a copy, besides the parts of its path. */
const READER_BYTES = 160

function textsIn({ items }: ScriptArray, context: NativeContext): readonly string[] {
  context.work(items.length)
  context.allocate(bytesOfGrownList(items.length))
  return items.filter((item) => typeof item === 'string')
}

/** One new object for each object of an array; other elements are left out. */
function objectsFrom(
  items: readonly Value[],
  context: NativeContext,
  fill: (item: ScriptObject, copy: ScriptObject) => void,
): ScriptArray {
  const copies = newArray(context)
  for (const item of items) {
    context.work(1)
    if (!(item instanceof ScriptObject)) continue
    const copy = context.object()
    fill(item, copy)
    push(copies, copy, context)
  }
  return copies
}

export const queryFunctions: readonly NativeFunction[] = [
  anyByField,
  allByField,
  findByField,
  whereByField,
  countIf,
  select,
  project,
  omit,
]
