/** Compares two objects: lists added keys with new values, removed keys with old values, and changed keys with both. */
import { areEqual } from '../values/equality.ts'
import type { ScriptObject, Value } from '../values/value.ts'
import type { NativeContext } from './definition.ts'

export function diff(left: ScriptObject, right: ScriptObject, context: NativeContext): ScriptObject {
  const added = context.object()
  const removed = context.object()
  const changed = context.object()
  context.work(left.slots.length + right.slots.length)
  for (const [key, value] of right.entries()) {
    if (!left.has(key)) context.set(added, key, value)
  }
  for (const [key, from] of left.entries()) {
    const to = right.get(key)
    if (!right.has(key)) context.set(removed, key, from)
    else if (!isUnchanged(from, to, context)) context.set(changed, key, change(from, to, context))
  }
  const result = context.object()
  context.set(result, 'added', added)
  context.set(result, 'removed', removed)
  context.set(result, 'changed', changed)
  return result
}

/** Two null members count as unchanged, although null does not equal null; deeper inside, null counts as a change. */
const isUnchanged = (from: Value, to: Value, context: NativeContext): boolean =>
  (from === null && to === null) || areEqual(from, to, context)

function change(from: Value, to: Value, context: NativeContext): ScriptObject {
  const pair = context.object()
  context.set(pair, 'from', from)
  context.set(pair, 'to', to)
  return pair
}
