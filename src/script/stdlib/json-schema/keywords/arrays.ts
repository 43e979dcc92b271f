/** Keywords for arrays. */
import { jsonNumber } from '../../../values/json-write.ts'
import { ScriptArray, ScriptObject, type Value } from '../../../values/value.ts'
import { boolean, schema, schemas, size } from '../arguments.ts'
import { evaluate, evaluateChild, fail } from '../evaluate.ts'
import { companion, forKind, type Keyword, keyword } from '../keyword.ts'
import type { Check, Frame, Schema } from '../schema.ts'
import { isSame } from './scalars.ts'

/** A schema for each of the first elements. */
const forFirst =
  (given: readonly Schema[]): Check =>
  (frame) => {
    if (!(frame.value instanceof ScriptArray)) return
    const { items } = frame.value
    const count = Math.min(given.length, items.length)
    for (let i = 0; i < count; i++) evaluateChild(frame, given[i]!, i, items[i]!)
    if (frame.evaluated !== null) frame.evaluated.itemsBefore = Math.max(frame.evaluated.itemsBefore, count)
  }

/** One schema for all elements from an index on. */
const forRest =
  (given: Schema, start: number): Check =>
  (frame) => {
    if (!(frame.value instanceof ScriptArray)) return
    const { items } = frame.value
    for (let i = start; i < items.length; i++) evaluateChild(frame, given, i, items[i]!)
    if (frame.evaluated !== null) frame.evaluated.allItems = true
  }

const prefixItems = keyword('prefixItems', (argument, reading) => forFirst(schemas(argument, reading)), {
  since: 2020,
})

/** Before `prefixItems` existed, `items` could be an array of schemas. */
const items = keyword('items', (argument, reading) => {
  if (reading.draft < 2020 && argument instanceof ScriptArray) {
    return forFirst(argument.items.map(reading.schema))
  }
  return forRest(
    schema(argument, reading),
    reading.draft < 2020 ? 0 : lengthOf(reading.sibling('prefixItems')),
  )
})

const additionalItems = keyword(
  'additionalItems',
  (argument, reading) => {
    const given = schema(argument, reading)
    const first = reading.sibling('items')
    return first instanceof ScriptArray ? forRest(given, first.items.length) : null
  },
  { until: 2019 },
)

const lengthOf = (value: Value | undefined): number => (value instanceof ScriptArray ? value.items.length : 0)

const contains = keyword(
  'contains',
  (argument, reading) => {
    const given = schema(argument, reading)
    const counts = reading.draft >= 2019
    const least = counts ? reading.sibling('minContains') : undefined
    const most = counts ? reading.sibling('maxContains') : undefined
    const fewest = size(least ?? 1, reading)
    const largest = size(most ?? Number.MAX_SAFE_INTEGER, reading)
    const marks = reading.draft >= 2020
    return (frame) => {
      if (!(frame.value instanceof ScriptArray)) return
      const found = countMatches(frame, given, marks)
      if (found < fewest) {
        const keyword = least === undefined ? 'contains' : 'minContains'
        fail(frame, keyword, `${found} elements match, less than the minimum of ${jsonNumber(fewest)}`)
      } else if (found > largest) {
        fail(frame, 'maxContains', `${found} elements match, more than the maximum of ${jsonNumber(largest)}`)
      }
    }
  },
  { since: 6 },
)

function countMatches(frame: Frame, given: Schema, marks: boolean): number {
  const { items } = frame.value as ScriptArray
  let found = 0
  for (let i = 0; i < items.length; i++) {
    if (!evaluate(given, items[i]!, frame.path, frame, false).valid) continue
    found++
    if (marks) frame.evaluated?.items.add(i)
  }
  return found
}

const maxItems = forKind('Array', 'maxItems', size, (frame, { items }, limit) => {
  if (items.length <= limit) return
  fail(frame, 'maxItems', `${items.length} elements are more than the maximum of ${jsonNumber(limit)}`)
})

const minItems = forKind('Array', 'minItems', size, (frame, { items }, limit) => {
  if (items.length >= limit) return
  fail(frame, 'minItems', `${items.length} elements are less than the minimum of ${jsonNumber(limit)}`)
})

const uniqueItems = forKind('Array', 'uniqueItems', boolean, (frame, { items }, wanted) => {
  if (!wanted || !hasRepeated(frame, items)) return
  fail(frame, 'uniqueItems', 'The elements are not all different')
})

/** Scalars are looked up; arrays and objects are compared with those of the same size. */
function hasRepeated(frame: Frame, items: readonly Value[]): boolean {
  const scalars = new Set<Value>()
  const bySize = new Map<string, Value[]>()
  frame.context.work(items.length)
  for (const item of items) {
    const size = sizeOf(item)
    if (size === null) {
      if (scalars.has(item)) return true
      scalars.add(item)
      continue
    }
    const alike = bySize.get(size) ?? []
    bySize.set(size, alike)
    frame.context.work(Math.ceil(alike.length / 10))
    if (alike.some((other) => isSame(frame, item, other))) return true
    alike.push(item)
  }
  return false
}

function sizeOf(value: Value): string | null {
  if (value instanceof ScriptArray) return `array ${value.items.length}`
  return value instanceof ScriptObject ? `object ${value.size}` : null
}

const unevaluatedItems = keyword(
  'unevaluatedItems',
  (argument, reading) => {
    const given = schema(argument, reading)
    return (frame) => {
      const { value, evaluated, valid } = frame
      // It is unknown what a schema that did not match has evaluated.
      if (!(value instanceof ScriptArray) || evaluated === null || evaluated.allItems || !valid) return
      const { items } = value
      for (let i = evaluated.itemsBefore; i < items.length; i++) {
        if (!evaluated.items.has(i)) evaluateChild(frame, given, i, items[i]!)
      }
      evaluated.allItems = true
    }
  },
  { since: 2019 },
)

export const arrayKeywords: readonly Keyword[] = [
  prefixItems,
  items,
  additionalItems,
  contains,
  companion('minContains', size, { since: 2019 }),
  companion('maxContains', size, { since: 2019 }),
  maxItems,
  minItems,
  uniqueItems,
  unevaluatedItems,
]
