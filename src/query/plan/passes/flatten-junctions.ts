import { predicatePass } from './rewrite-predicate.ts'

/** `(a and b) and c` is `a and b and c`. */
export const flattenJunctions = predicatePass((predicate) => {
  if (predicate.kind !== 'and' && predicate.kind !== 'or') return predicate
  const operands = predicate.operands.flatMap((operand) =>
    operand.kind === predicate.kind ? operand.operands : [operand],
  )
  return { kind: predicate.kind, operands }
})
