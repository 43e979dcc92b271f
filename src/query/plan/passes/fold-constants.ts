import type { Predicate } from '../plan-nodes.ts'
import { predicatePass } from './rewrite-predicate.ts'

/** A constant decides its `and` or `or`, or is dropped from it. A single remaining operand replaces the junction. */
export const foldConstants = predicatePass((predicate) => {
  switch (predicate.kind) {
    case 'and':
    case 'or':
      return foldJunction(predicate.kind, predicate.operands)
    case 'not':
      return predicate.operand.kind === 'constant'
        ? { kind: 'constant', value: !predicate.operand.value }
        : predicate
    case 'any':
      return foldAny(predicate)
    case 'constant':
    case 'is-null':
    case 'compare':
    case 'one-of':
    case 'match':
      return predicate
  }
})

function foldJunction(kind: 'and' | 'or', operands: readonly Predicate[]): Predicate {
  const decisive = kind === 'or'
  const open: Predicate[] = []
  for (const operand of operands) {
    if (operand.kind !== 'constant') open.push(operand)
    else if (operand.value === decisive) return operand
  }
  const [only] = open
  if (only === undefined) return { kind: 'constant', value: !decisive }
  return open.length === 1 ? only : { kind, operands: open }
}

/** `any` of a true condition holds exactly when there is an element; `any` of a false one is false. */
function foldAny(any: Extract<Predicate, { kind: 'any' }>): Predicate {
  if (any.condition?.kind !== 'constant') return any
  return any.condition.value ? { ...any, condition: null } : any.condition
}
