/** Converts arguments for native functions (language reference, section 10). */
import type { PreparedNative } from '../compile/code.ts'
import { ScriptFailure } from '../failure.ts'
import type { NativeContext, ParameterKind } from '../stdlib/definition.ts'
import { type Kind, kindOf } from '../values/kinds.ts'
import { onlyForEach } from '../values/only-foreach.ts'
import { toText } from '../values/to-text.ts'
import { ScriptArray, ScriptFunction, ScriptObject, ScriptSequence, type Value } from '../values/value.ts'

/** The value to pass for the parameter. @throws ScriptFailure JM5104, JM5105 */
export function argument(
  { native }: PreparedNative,
  kind: ParameterKind,
  value: Value,
  context: NativeContext,
): Value {
  switch (kind) {
    case 'any':
      return value
    case 'text':
      return typeof value === 'string' ? value : context.text(toText(value, context.work))
    case 'number':
      if (typeof value === 'number') return value
      throw wrongType(native.name, 'Number', value)
    case 'array':
      if (value instanceof ScriptArray) return value
      if (value === null) return new ScriptArray([])
      throw wrongType(native.name, 'Array', value)
    case 'object':
      if (value instanceof ScriptObject) return value
      if (value === null) return context.object()
      throw wrongType(native.name, 'Object', value)
    case 'function':
      if (value instanceof ScriptFunction) return value
      throw new ScriptFailure(
        'JM5105',
        `${native.name} expects a lambda, such as x => x; it was given ${kindOf(value)}`,
      )
  }
}

export function wrongType(name: string, expected: Kind, value: Value): ScriptFailure {
  const advice = value instanceof ScriptSequence ? `. ${onlyForEach(value)}` : ''
  return new ScriptFailure('JM5104', `${name} expects ${expected}; it was given ${kindOf(value)}${advice}`)
}
