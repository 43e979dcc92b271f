/** Compares a field with a value for the query functions (language reference, 10.7). */
import { ScriptFailure } from '../../failure.ts'
import { areEqual } from '../../values/equality.ts'
import { kindOf } from '../../values/kinds.ts'
import type { Value } from '../../values/value.ts'
import type { NativeContext } from '../definition.ts'
import { compareScalars } from './ordering.ts'

/** Relations that the order of the field and the value has to meet. Unlike operators of scripts, these order booleans. */
const relations: ReadonlyMap<string, (order: number) => boolean> = new Map([
  ['<', (order) => order < 0],
  ['<=', (order) => order <= 0],
  ['>', (order) => order > 0],
  ['>=', (order) => order >= 0],
])

/** A null field differs from every other value; no other operator holds for it. */
export function matches(field: Value, operator: string, value: Value, context: NativeContext): boolean {
  if (field === null) return operator === '!=' && value !== null
  if (operator === '==') return areEqual(field, value, context)
  if (operator === '!=') return !areEqual(field, value, context)
  const holds = relations.get(operator)
  if (holds === undefined) throw new ScriptFailure('JM5906', `Unknown operator '${operator.slice(0, 50)}'`)
  const order = compareScalars(field, value, context)
  if (order !== null) return holds(order)
  throw new ScriptFailure(
    'JM5905',
    `${kindOf(field)} and ${kindOf(value)} have no order that '${operator}' could test`,
  )
}
