import type { Predicate } from '../plan-nodes.ts'

type Any = Extract<Predicate, { kind: 'any' }>

/**
 * `any(c, p) or any(c, q)` is `any(c, p or q)`: the elements are read once. Joined by `and` they stay separate, because one
 * element may satisfy p and another one q. The merged operand takes the place of the first.
 *
 * @param either joins conditions by `or`
 */
export function mergeAnys(
  operands: readonly Predicate[],
  either: (conditions: readonly Predicate[]) => Predicate,
): readonly Predicate[] {
  return merge(
    operands,
    (operand) => (operand.kind === 'any' ? operand : null),
    (any) => any,
    either,
  )
}

/** `not any(c, p) and not any(c, q)` is `not any(c, p or q)`; so `all(c, p) and all(c, q)` is `all(c, p and q)`. */
export function mergeDeniedAnys(
  operands: readonly Predicate[],
  either: (conditions: readonly Predicate[]) => Predicate,
): readonly Predicate[] {
  return merge(
    operands,
    (operand) => (operand.kind === 'not' && operand.operand.kind === 'any' ? operand.operand : null),
    (any) => ({ kind: 'not', operand: any }),
    either,
  )
}

function merge(
  operands: readonly Predicate[],
  anyOf: (operand: Predicate) => Any | null,
  operandOf: (any: Any) => Predicate,
  either: (conditions: readonly Predicate[]) => Predicate,
): readonly Predicate[] {
  if (operands.filter((operand) => anyOf(operand) !== null).length < 2) return operands
  const byCollection = new Map<string, Any[]>()
  const order: (Predicate | Any[])[] = []
  for (const operand of operands) {
    const any = anyOf(operand)
    const gathered = any === null ? undefined : byCollection.get(any.collection)
    if (any === null) order.push(operand)
    else if (gathered !== undefined) gathered.push(any)
    else {
      const first = [any]
      byCollection.set(any.collection, first)
      order.push(first)
    }
  }
  return order.map((entry) => (Array.isArray(entry) ? operandOf(union(entry, either)) : entry))
}

/** An `any` without a condition holds wherever one of the others does. */
function union(anys: readonly Any[], either: (conditions: readonly Predicate[]) => Predicate): Any {
  const [first] = anys as [Any]
  if (anys.length === 1) return first
  const conditions: Predicate[] = []
  for (const { condition } of anys) {
    if (condition === null) return { ...first, condition: null }
    conditions.push(condition)
  }
  return { ...first, condition: either(conditions) }
}
