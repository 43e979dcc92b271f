/**
 * Lowers a predicate onto the columns of a scope. Enters: a bound predicate. Leaves: a filter, which the engine fills a
 * bitmap from. Nothing is left to refuse here: names are columns and literals are typed.
 */
import type { Predicate } from '../../../query/plan/plan-nodes.ts'
import type { Scope } from '../scope.ts'
import { done, type Work } from '../work.ts'
import { anyElement } from './any-element.ts'
import { columnFilter } from './column-filter.ts'
import { conjunction, constantFilter, disjunction, type Filter, negation } from './filter.ts'

export function lower(predicate: Predicate, scope: Scope): Work<Filter> {
  const lowerKind = lowerings[predicate.kind] as (predicate: Predicate, scope: Scope) => Work<Filter>
  return lowerKind(predicate, scope)
}

const lowerings: {
  readonly [K in Predicate['kind']]: (
    predicate: Predicate & { readonly kind: K },
    scope: Scope,
  ) => Work<Filter>
} = {
  constant: ({ value }, scope) => done(constantFilter(value, scope)),
  *and({ operands }, scope) {
    return conjunction(yield* lowerAll(operands, scope), scope)
  },
  *or({ operands }, scope) {
    return disjunction(yield* lowerAll(operands, scope), scope)
  },
  *not({ operand }, scope) {
    return negation(yield* lower(operand, scope), scope)
  },
  *any({ collection, condition }, scope) {
    const { elements } = scope
    if (elements?.name !== collection)
      throw new Error(`The plan asks for '${collection}' where there are none`)
    return anyElement(elements, condition && (yield* lower(condition, elements)), scope)
  },
  'is-null': columnFilter,
  compare: columnFilter,
  'one-of': columnFilter,
  match: columnFilter,
}

function* lowerAll(predicates: readonly Predicate[], scope: Scope): Work<readonly Filter[]> {
  const filters: Filter[] = []
  for (const predicate of predicates) {
    filters.push(yield* lower(predicate, scope))
    yield
  }
  return filters
}
