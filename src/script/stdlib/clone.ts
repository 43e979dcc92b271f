/** Copies arrays and objects all the way down. Functions are shared, and what is shared twice is copied twice. */
import { MOST_LEVELS, nestedTooDeeply } from '../values/nesting.ts'
import { ScriptArray, ScriptObject, type Value } from '../values/value.ts'
import type { NativeContext } from './definition.ts'

/** @throws ScriptFailure JM5002 for values that contain themselves */
export const clone = (value: Value, context: NativeContext): Value => cloneAt(value, context, 0)

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
