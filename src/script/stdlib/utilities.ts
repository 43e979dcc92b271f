/** Functions for values of any kind (language reference, 10.5). */
import timers from 'node:timers/promises'
import { ScriptFailure } from '../failure.ts'
import { JsonFault, readJson } from '../values/json-read.ts'
import { writeJson } from '../values/json-write.ts'
import { isTruthy, kindOf } from '../values/kinds.ts'
import { numberToText } from '../values/number-text.ts'
import { TEXT_BYTES } from '../values/sizes.ts'
import { toText } from '../values/to-text.ts'
import { ScriptArray, ScriptObject, type Value } from '../values/value.ts'
import { MOST_LEVELS, nestedTooDeeply } from '../values/value-walk.ts'
import {
  any,
  array,
  define,
  type NativeContext,
  type NativeFunction,
  number,
  object,
  text,
} from './definition.ts'
import { diff } from './diff.ts'

const category = 'Utilities'

const typeOf = define({
  name: 'TypeOf',
  category,
  parameters: [any('value')],
  returns: 'string',
  about: 'The type of a value: null, boolean, number, string, array or object; unknown for a lambda.',
  body(context, value) {
    const kind = kindOf(value)
    return context.text(kind === 'Function' ? 'unknown' : kind.toLowerCase())
  },
})

const toStringFunction = define({
  name: 'ToString',
  category,
  parameters: [any('value')],
  returns: 'string',
  about: 'Converts a value to text, as `+` with a text does.',
  body: (context, value) => context.text(toText(value, context.work)),
})

const toBoolean = define({
  name: 'ToBoolean',
  category,
  parameters: [any('value')],
  returns: 'boolean',
  about: 'False for null, false, zero and the empty text; true for everything else.',
  body: (_, value) => isTruthy(value),
})

const coalesce = define({
  name: 'Coalesce',
  category,
  parameters: [array('value')],
  returns: 'any',
  about: 'The first element of an array that is not null, or null if there is none.',
  body(context, { items }) {
    context.work(Math.ceil(items.length / 10))
    return items.find((item) => item !== null) ?? null
  },
})

const keys = define({
  name: 'Keys',
  category,
  parameters: [object('value')],
  returns: 'array',
  about: 'The keys of an object in their order.',
  body(context, value) {
    context.work(value.slots.length)
    return context.array(value.keys.filter((key) => key !== undefined))
  },
})

const values = define({
  name: 'Values',
  category,
  parameters: [object('value')],
  returns: 'array',
  about: 'The values of an object in the order of their keys.',
  body(context, value) {
    context.work(value.slots.length)
    return context.array(value.slots.filter((member) => member !== undefined))
  },
})

const hasProperty = define({
  name: 'HasProperty',
  category,
  parameters: [object('left'), text('right')],
  returns: 'boolean',
  about: 'Whether an object has a key, also with the value null; dots in the key have no meaning.',
  body: (_, left, right) => left.has(right),
})

const merge = define({
  name: 'Merge',
  category,
  parameters: [array('value')],
  returns: 'object',
  about: 'Joins the objects of an array into a new one; of a repeated key the last value counts.',
  body(context, { items }) {
    context.work(items.length)
    const merged = context.object()
    for (const item of items) {
      if (!(item instanceof ScriptObject)) continue
      context.work(item.slots.length)
      for (const [key, value] of item.entries()) context.set(merged, key, value)
    }
    return merged
  },
})

const cloneFunction = define({
  name: 'Clone',
  category,
  parameters: [any('value')],
  returns: 'any',
  about: 'Copies a value together with all arrays and objects inside it.',
  body: (context, value) => clone(value, context),
})

/** Shares functions; copies a shared part each time it occurs. @throws ScriptFailure JM5002 for values that contain themselves */
const clone = (value: Value, context: NativeContext): Value => cloneAt(value, context, 0)

function cloneAt(value: Value, context: NativeContext, level: number): Value {
  if (!(value instanceof ScriptArray || value instanceof ScriptObject)) return value
  if (level >= MOST_LEVELS) throw nestedTooDeeply()
  if (value instanceof ScriptArray) {
    context.work(1 + value.items.length)
    return context.array(value.items.map((item) => cloneAt(item, context, level + 1)))
  }
  context.work(1 + value.slots.length)
  const copy = context.object()
  for (const [key, member] of value.entries()) context.set(copy, key, cloneAt(member, context, level + 1))
  return copy
}

const diffFunction = define({
  name: 'Diff',
  category,
  parameters: [object('left'), object('right')],
  returns: 'object',
  about: 'Compares two objects key by key and returns the added, removed and changed members.',
  body: (context, left, right) => diff(left, right, context),
})

const toJson = define({
  name: 'ToJson',
  category,
  parameters: [any('value')],
  returns: 'string',
  about: 'Writes a value as compact JSON of ASCII characters.',
  body(context, value) {
    const { work, allocate } = context
    allocate(TEXT_BYTES)
    return context.newText(writeJson(value, { work, allocate, escapes: 'to-json' }))
  },
})

const fromJson = define({
  name: 'FromJson',
  category,
  parameters: [text('value')],
  returns: 'any',
  about: 'Reads JSON; null for a text that is not JSON.',
  body(context, value) {
    try {
      return readJson(value, context)
    } catch (fault) {
      if (fault instanceof JsonFault) return null
      throw fault
    }
  },
})

/** Longest time of a timer, in milliseconds: about 24 days, longer than any run. */
const LONGEST_DELAY = 2 ** 31 - 1

const sleep = define({
  name: 'Sleep',
  category,
  parameters: [number('ms')],
  returns: 'null',
  about: 'Waits for a number of milliseconds.',
  async waits(_: NativeContext, ms: number): Promise<Value> {
    if (!Number.isInteger(ms) || ms < 0) {
      throw new ScriptFailure('JM5907', `Sleep needs a non-negative integer, not ${numberToText(ms)}`)
    }
    // The timer of an abandoned run must not keep the process alive.
    await timers.setTimeout(Math.min(ms, LONGEST_DELAY), undefined, { ref: false })
    return null
  },
})

export const utilityFunctions: readonly NativeFunction[] = [
  typeOf,
  toStringFunction,
  toBoolean,
  coalesce,
  keys,
  values,
  hasProperty,
  merge,
  cloneFunction,
  diffFunction,
  toJson,
  fromJson,
  sleep,
]
