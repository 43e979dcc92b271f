/**
 * Dotted paths, by which functions name fields of nested objects (language reference, 5.4). Every dot separates, so a key that
 * contains a dot cannot be reached.
 */
import { ScriptObject, type Value } from '../values/value.ts'
import type { NativeContext } from './definition.ts'

/** Reads a field of a value: null where there is none, and where something on the way is not an object. */
export type FieldReader = (value: Value) => Value

/** Takes the path apart once, for many values. */
export function fieldReader(path: string, context: NativeContext): FieldReader {
  if (!path.includes('.')) {
    return (value) => {
      context.work(1)
      return value instanceof ScriptObject ? value.get(path) : null
    }
  }
  const segments = segmentsOf(path, context)
  return (value) => {
    for (const segment of segments) {
      context.work(1)
      if (!(value instanceof ScriptObject)) return null
      value = value.get(segment)
    }
    return value
  }
}

/** What a copy of the field is called. */
export const lastSegment = (path: string): string => path.slice(path.lastIndexOf('.') + 1)

function segmentsOf(path: string, context: NativeContext): readonly string[] {
  let dots = 0
  for (let at = path.indexOf('.'); at >= 0; at = path.indexOf('.', at + 1)) dots++
  context.work(dots + Math.ceil(path.length / 100))
  // Pieces are texts of their own, however short.
  context.allocate((dots + 1) * (16 + 24) + path.length * 2)
  return path.split('.')
}
