/** What kind of value a value is, as messages name it and as `TypeOf` does. */
import { ScriptArray, ScriptObject, type Value } from './value.ts'

export type Kind = 'Null' | 'Boolean' | 'Number' | 'String' | 'Array' | 'Object' | 'Function'

export function kindOf(value: Value): Kind {
  switch (typeof value) {
    case 'string':
      return 'String'
    case 'number':
      return 'Number'
    case 'boolean':
      return 'Boolean'
  }
  if (value === null) return 'Null'
  if (value instanceof ScriptArray) return 'Array'
  return value instanceof ScriptObject ? 'Object' : 'Function'
}

/** Null, false, zero and the empty text are not; NaN is. */
export const isTruthy = (value: Value): boolean =>
  value !== null && value !== false && value !== 0 && value !== ''
