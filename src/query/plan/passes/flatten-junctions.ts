import type { Predicate } from '../plan-nodes.ts'
import { predicatePass } from './rewrite-predicate.ts'

/** `(a and b) and c` is `a and b and c`. */
export const flattenJunctions = predicatePass((predicate) => {
  if (predicate.kind !== 'and' && predicate.kind !== 'or') return predicate
  return { kind: predicate.kind, operands: flattened(predicate.kind, predicate.operands) }
})

export const flattened = (kind: 'and' | 'or', operands: readonly Predicate[]): readonly Predicate[] =>
  operands.some((operand) => operand.kind === kind)
    ? operands.flatMap((operand) => (operand.kind === kind ? operand.operands : [operand]))
    : operands
