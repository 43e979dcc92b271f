/** The kind of a value, as messages and `TypeOf` name it. */
import { ScriptArray, ScriptObject, ScriptSequence, type Value } from './value.ts'

export type Kind = 'Null' | 'Boolean' | 'Number' | 'String' | 'Array' | 'Object' | 'Function' | 'Sequence'

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
  if (value instanceof ScriptObject) return 'Object'
  return value instanceof ScriptSequence ? 'Sequence' : 'Function'
}

/** False for null, false, zero and the empty text; true for NaN. */
export const isTruthy = (value: Value): boolean =>
  value !== null && value !== false && value !== 0 && value !== ''
