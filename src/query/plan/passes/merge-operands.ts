import { mayRepeat } from '../may-repeat.ts'
import { predicateKeys } from '../plan-key.ts'
import type { Predicate } from '../plan-nodes.ts'
import { withoutDoubleNot } from './drop-double-nots.ts'
import { flattened } from './flatten-junctions.ts'
import { mergeAnys, mergeDeniedAnys } from './merge-anys.ts'
import { mergeEqualities } from './merge-equalities.ts'
import { type PlanPass, predicatePass } from './rewrite-predicate.ts'

/**
 * What operands of an `and` or `or` ask in common is asked once: equalities of one column become a list, conditions on
 * the same collection one condition, and `a or a` is `a`. A junction that only one operand is left of is that operand,
 * which brings junctions of a kind, or two `not`, together that it kept apart.
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
