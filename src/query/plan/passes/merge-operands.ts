import { mayRepeat } from '../may-repeat.ts'
import { predicateKeys } from '../plan-key.ts'
import type { Predicate } from '../plan-nodes.ts'
import { withoutDoubleNot } from './drop-double-nots.ts'
import { flattened } from './flatten-junctions.ts'
import { mergeAnys, mergeDeniedAnys } from './merge-anys.ts'
import { mergeEqualities } from './merge-equalities.ts'
import { type PlanPass, predicatePass } from './rewrite-predicate.ts'

/**
 * Merges operands of an `and` or `or`: equalities of one column become a list, conditions on the same collection one
 * condition, and `a or a` becomes `a`. A junction with a single remaining operand becomes that operand, which can bring two
 * junctions of the same kind, or two `not`, together.
 */
export const mergeOperands: PlanPass = (plan) => {
  const keyOf = predicateKeys()
  const hasRepetitions = plan.where !== null && mayRepeat(plan.where)
  const junction = (kind: 'and' | 'or', operands: readonly Predicate[]): Predicate => {
    const all = flattened(kind, operands)
    const merged = kind === 'or' ? mergeAnys(mergeEqualities(all), either) : mergeDeniedAnys(all, either)
    const distinct = hasRepetitions ? withoutRepetitions(merged, keyOf) : merged
    const [only] = distinct
    return only !== undefined && distinct.length === 1 ? only : { kind, operands: distinct }
  }
  const either = (conditions: readonly Predicate[]): Predicate => junction('or', conditions)
  return predicatePass((predicate) =>
    predicate.kind === 'and' || predicate.kind === 'or'
      ? junction(predicate.kind, predicate.operands)
      : withoutDoubleNot(predicate),
  )(plan)
}

function withoutRepetitions(
  operands: readonly Predicate[],
  keyOf: (predicate: Predicate) => string,
): readonly Predicate[] {
  const seen = new Set<string>()
  return operands.filter((operand) => seen.size < seen.add(keyOf(operand)).size)
}
