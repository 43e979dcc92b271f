/**
 * Reads dotted paths, which name fields of nested objects (language reference, 5.4). Every dot separates, so a key that contains
 * a dot cannot be reached.
 */
import { partOfText } from '../values/part-of-text.ts'
import { PLACE_BYTES, TEXT_BYTES, UNIT_BYTES } from '../values/sizes.ts'
import { ScriptObject, type Value } from '../values/value.ts'
import type { NativeContext } from './definition.ts'

/** Reads a field of a value: null if it does not exist, or if a value on the path is not an object. */
export type FieldReader = (value: Value) => Value

/** Splits the path once, for many values. */
export function fieldReader(path: string, context: NativeContext): FieldReader {
  if (!path.includes('.')) {
    return (value) => {
      context.work(1)
      return value instanceof ScriptObject ? value.read(path) : null
    }
  }
  const segments = segmentsOf(path, context)
  return (value) => {
    for (const segment of segments) {
      context.work(1)
      if (!(value instanceof ScriptObject)) return null
      value = value.read(segment)
    }
    return value
  }
}

/** The name for a copy of the field. */
export const lastSegment = (path: string): string => partOfText(path, path.lastIndexOf('.') + 1)

function segmentsOf(path: string, context: NativeContext): readonly string[] {
  let dots = 0
  for (let at = path.indexOf('.'); at >= 0; at = path.indexOf('.', at + 1)) dots++
  context.work(dots + Math.ceil(path.length / 100))
  // Each segment is a separate text, however short.
  context.allocate((dots + 1) * (PLACE_BYTES + TEXT_BYTES) + UNIT_BYTES * path.length)
  return path.split('.')
}
