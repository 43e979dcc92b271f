import type { Predicate, QueryPlan } from '../plan-nodes.ts'

/** Turns a plan into another plan with the same answer. */
export type PlanPass = (plan: QueryPlan) => QueryPlan

/** A pass over the filter only: `rewrite` gets every node once, after the nodes below it. */
export function predicatePass(rewrite: (predicate: Predicate) => Predicate): PlanPass {
  return (plan) => (plan.where === null ? plan : { ...plan, where: rewriteUpwards(plan.where, rewrite) })
}

function rewriteUpwards(predicate: Predicate, rewrite: (predicate: Predicate) => Predicate): Predicate {
  const below = (part: Predicate) => rewriteUpwards(part, rewrite)
  switch (predicate.kind) {
    case 'and':
    case 'or':
      return rewrite({ kind: predicate.kind, operands: predicate.operands.map(below) })
    case 'not':
      return rewrite({ kind: 'not', operand: below(predicate.operand) })
    case 'any':
      return rewrite({ ...predicate, condition: predicate.condition && below(predicate.condition) })
    case 'constant':
    case 'is-null':
    case 'compare':
    case 'one-of':
    case 'match':
      return rewrite(predicate)
  }
}
