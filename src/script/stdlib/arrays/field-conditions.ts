/** Compares a field with a value for the query functions (language reference, 10.7). */
import { ScriptFailure } from '../../failure.ts'
import { areEqual } from '../../values/equality.ts'
import { kindOf } from '../../values/kinds.ts'
import { numberBeside } from '../../values/numeric-text.ts'
import type { Value } from '../../values/value.ts'
import type { NativeContext } from '../definition.ts'
import { compareNumbers, compareScalars } from './ordering.ts'

/** Relations that the order of the field and the value has to meet. Unlike operators of scripts, these order booleans. */
const relations: ReadonlyMap<string, (order: number) => boolean> = new Map([
  ['<', (order) => order < 0],
  ['<=', (order) => order <= 0],
  ['>', (order) => order > 0],
  ['>=', (order) => order >= 0],
])

/** Whether a field meets a condition. */
export type FieldCondition = (field: Value) => boolean

/**
 * A null field differs from every other value; no other operator holds for it. As an operator of the service dialect does, a
 * condition reads a numeric text as a number when it compares it with one.
 */
export function fieldCondition(operator: string, value: Value, context: NativeContext): FieldCondition {
  const { work, readsNumericText } = context
  const equality = { work, numericTextIsNumber: readsNumericText }
  return (field) => {
    if (field === null) return operator === '!=' && value !== null
    if (operator === '==') return areEqual(field, value, equality)
    if (operator === '!=') return !areEqual(field, value, equality)
    const holds = relations.get(operator)
    if (holds === undefined) throw new ScriptFailure('JM5906', `Unknown operator '${operator.slice(0, 50)}'`)
    return holds(orderOf(field, operator, value, context))
  }
}

function orderOf(field: Value, operator: string, value: Value, context: NativeContext): number {
  const order = compareScalars(field, value, context)
  if (order !== null) return order
  if (context.readsNumericText) {
    const [left, right] = [numberBeside(value, field, context), numberBeside(field, value, context)]
    if (left !== null && right !== null) return compareNumbers(left, right)
  }
  throw new ScriptFailure(
    'JM5905',
    `${kindOf(field)} and ${kindOf(value)} have no order that '${operator}' could test`,
  )
}
