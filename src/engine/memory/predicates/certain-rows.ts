/**
 * Computes, before a condition is evaluated, how many rows it is certain to scan: never more than it will scan. Comparisons
 * count as 0, because an index may answer them, and so do operands that may not be needed: for an `and` only the cheapest
 * operand is certain, for an `or` all of them.
 */
import type { Predicate } from '../../../query/plan/plan-nodes.ts'
import type { Column } from '../../../snapshot/partition.ts'
import { SEARCHED } from '../indexes/folded-blocks.ts'
import type { Scope } from '../scope.ts'
import type { ColumnPredicate } from './column-predicate.ts'
import { byColumn } from './one-column.ts'
import { type Repeats, repeatsIn } from './repeats.ts'
import { TESTED, TEXT_FORM, WRITTEN } from './wanted-together.ts'

export function certainRows(where: Predicate, scope: Scope, repeats: Repeats = repeatsIn(where)): number {
  const { prepared, filled } = certain(where, scope, { repeats, seen: new Set() })
  return prepared + filled
}

/** Rows scanned to prepare a filter, and to fill a bitmap from it once. */
type Certain = { readonly prepared: number; readonly filled: number }

type Seen = { readonly repeats: Repeats; readonly seen: Set<string> }

const nothing: Certain = { prepared: 0, filled: 0 }

/** A shared part counts where it comes first. */
function certain(predicate: Predicate, scope: Scope, parts: Seen): Certain {
  const key = parts.repeats.keyOf(predicate)
  if (key !== null && parts.seen.has(key)) return nothing
  if (key !== null) parts.seen.add(key)
  switch (predicate.kind) {
    case 'constant':
      return nothing
    case 'and': {
      const all = predicate.operands.map((operand) => certain(operand, scope, parts))
      const cheapest = all.reduce((least, { filled }) => Math.min(least, filled), all[0]?.filled ?? 0)
      return { prepared: sum(all, 'prepared'), filled: cheapest }
    }
    case 'or': {
      const { columns, others } = byColumn(predicate.operands, parts.repeats)
      const all = [
        ...columns.map((predicates) => ofColumn(predicates, scope)),
        ...others.map((operand) => certain(operand, scope, parts)),
      ]
      return { prepared: sum(all, 'prepared'), filled: sum(all, 'filled') }
    }
    case 'not':
      return certain(predicate.operand, scope, parts)
    case 'any': {
      if (predicate.condition === null) return { prepared: 0, filled: scope.count }
      const elements = scope.collections.get(predicate.collection)
      return elements === undefined ? nothing : certain(predicate.condition, elements, parts)
    }
    case 'is-null':
    case 'compare':
    case 'one-of':
    case 'match':
      return ofColumn([predicate], scope)
  }
}

/** Predicates of one column are answered together: texts are searched for each predicate, amounts are written out once. */
function ofColumn(predicates: readonly [ColumnPredicate, ...ColumnPredicate[]], scope: Scope): Certain {
  const column = scope.column(predicates[0].column)
  const searches = predicates.filter((predicate) => isSearch(predicate, column)).length
  if (searches === 0) return nothing
  switch (column.type) {
    case 'text':
      return { prepared: SEARCHED * searches * column.dictionary.size, filled: 0 }
    case 'decimal':
      return { prepared: 0, filled: (WRITTEN + TESTED * searches) * scope.count }
    case 'date':
    case 'minute':
    case 'wide-minute':
    case 'integer':
      return { prepared: 0, filled: TEXT_FORM * searches * scope.count }
    case 'boolean':
      return nothing
  }
}

/** Whether it must scan every text or value. Beginnings of texts, days and minutes are found by binary search. */
function isSearch(predicate: ColumnPredicate, { type }: Column): boolean {
  if (predicate.kind !== 'match') return false
  switch (type) {
    case 'text':
      return predicate.function !== 'startswith' && predicate.folded !== ''
    case 'date':
    case 'minute':
    case 'wide-minute':
      return predicate.function !== 'startswith'
    case 'integer':
    case 'decimal':
      return true
    case 'boolean':
      return false
  }
}

function sum(all: readonly Certain[], property: keyof Certain): number {
  let total = 0
  for (const each of all) total += each[property]
  return total
}
