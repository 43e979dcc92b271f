import { predicatePass } from './rewrite-predicate.ts'

/** `not not p` is `p`: predicates are two-valued. */
export const dropDoubleNots = predicatePass((predicate) =>
  predicate.kind === 'not' && predicate.operand.kind === 'not' ? predicate.operand.operand : predicate,
)
