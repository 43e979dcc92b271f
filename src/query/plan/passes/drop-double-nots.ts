import type { Predicate } from '../plan-nodes.ts'
import { predicatePass } from './rewrite-predicate.ts'

/** `not not p` is `p`: predicates are two-valued. */
export const withoutDoubleNot = (predicate: Predicate): Predicate =>
  predicate.kind === 'not' && predicate.operand.kind === 'not' ? predicate.operand.operand : predicate

export const dropDoubleNots = predicatePass(withoutDoubleNot)
