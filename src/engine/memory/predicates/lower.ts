/**
 * Lowers a bound predicate onto the columns of a scope: the result is a filter, from which the engine fills a bitmap. Refuses
 * nothing: names are columns and literals are typed. Repeated parts are answered once: parts with the same meaning share a
 * filter, and predicates of one column joined by `or` share its scan.
 */
import type { Predicate } from '../../../query/plan/plan-nodes.ts'
import type { Scope } from '../scope.ts'
import { done, type Work } from '../work.ts'
import { anyElement } from './any-element.ts'
import { columnFilter } from './column-filter.ts'
import type { ColumnPredicate } from './column-predicate.ts'
import { conjunction, constantFilter, disjunction, type Filter, negation } from './filter.ts'
import { byColumn } from './one-column.ts'
import { type Repeats, repeatsIn } from './repeats.ts'
import { sharedFilter } from './shared-filter.ts'

export function lower(where: Predicate, scope: Scope, repeats: Repeats = repeatsIn(where)): Work<Filter> {
  return lowerPart(where, scope, { repeats, shared: new Map() })
}

/** What the parts of one condition share. */
type Lowered = { readonly repeats: Repeats; readonly shared: Map<string, Filter> }

function lowerPart(predicate: Predicate, scope: Scope, lowered: Lowered): Work<Filter> {
  const key = lowered.repeats.keyOf(predicate)
  return key === null ? lowerOnce(predicate, scope, lowered) : lowerShared(key, predicate, scope, lowered)
}

function* lowerShared(key: string, predicate: Predicate, scope: Scope, lowered: Lowered): Work<Filter> {
  const { repeats, shared } = lowered
  let filter = shared.get(key)
  if (filter === undefined) {
    const own = yield* lowerOnce(predicate, scope, lowered)
    filter = sharedFilter(own, scope, repeats.usesOf(key))
    shared.set(key, filter)
  }
  return filter
}

function lowerOnce(predicate: Predicate, scope: Scope, lowered: Lowered): Work<Filter> {
  const lowerKind = lowerings[predicate.kind] as Lowering<Predicate>
  return lowerKind(predicate, scope, lowered)
}

type Lowering<P extends Predicate> = (predicate: P, scope: Scope, lowered: Lowered) => Work<Filter>

const oneColumn: Lowering<ColumnPredicate> = (predicate, scope) => columnFilter([predicate], scope)

const lowerings: {
  readonly [K in Predicate['kind']]: Lowering<Predicate & { readonly kind: K }>
} = {
  constant: ({ value }, scope) => done(constantFilter(value, scope)),
  *and({ operands }, scope, lowered) {
    const filters: Filter[] = []
    for (const operand of operands) {
      filters.push(yield* lowerPart(operand, scope, lowered))
      yield
    }
    return conjunction(filters, scope)
  },
  *or({ operands }, scope, lowered) {
    const { columns, others } = byColumn(operands, lowered.repeats)
    const filters: Filter[] = []
    for (const predicates of columns) {
      filters.push(yield* columnFilter(predicates, scope))
      yield
    }
    for (const operand of others) {
      filters.push(yield* lowerPart(operand, scope, lowered))
      yield
    }
    const [only] = filters
    return only !== undefined && filters.length === 1 ? only : disjunction(filters, scope)
  },
  *not({ operand }, scope, lowered) {
    return negation(yield* lowerPart(operand, scope, lowered), scope)
  },
  *any({ collection, condition }, scope, lowered) {
    const elements = scope.collections.get(collection)
    if (elements === undefined)
      throw new Error(`The plan names the collection '${collection}', which the rows do not have`)
    return anyElement(elements, condition && (yield* lowerPart(condition, elements, lowered)), scope)
  },
  'is-null': oneColumn,
  compare: oneColumn,
  'one-of': oneColumn,
  match: oneColumn,
}
