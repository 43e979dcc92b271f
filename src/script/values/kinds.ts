/** The kind of a value, as messages and `TypeOf` name it. */
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

/** False for null, false, zero and the empty text; true for NaN. */
export const isTruthy = (value: Value): boolean =>
  value !== null && value !== false && value !== 0 && value !== ''
