/**
 * The canonical text of a normalised plan, for cache keys and entity tags: equal for queries that differ only in spacing,
 * letter case of keywords and names, order of operands or the spelling of a literal. Every text in it is quoted as
 * JSON, so that a value cannot be mistaken for the structure around it.
 */
import { formatDecimal } from '../../kernel/decimal.ts'
import { shapeKey } from '../record-shape.ts'
import type { ColumnRef, Comparand, Predicate, QueryPlan, SortKey } from './plan-nodes.ts'

export function planKey({ dataset, where, orderBy, paging, select }: QueryPlan): string {
  const filter = where === null ? '' : predicateKey(where)
  const page = paging === null ? '' : `${paging.offset}+${paging.limit}`
  const key = `${dataset}|${filter}|${orderBy.map(sortKeyText).join(',')}|${page}`
  return select === null ? key : `${key}|${shapeKey(select)}`
}

const predicateKey = (predicate: Predicate): string => writePredicate(predicate, predicateKey)

/** Returns a function for the key of a predicate that remembers the keys of its parts. */
export function predicateKeys(): (predicate: Predicate) => string {
  const known = new Map<Predicate, string>()
  const keyOf = (predicate: Predicate): string => {
    let key = known.get(predicate)
    if (key === undefined) {
      key = writePredicate(predicate, keyOf)
      known.set(predicate, key)
    }
    return key
  }
  return keyOf
}

/** @param keyOf returns the key of an operand */
function writePredicate(predicate: Predicate, keyOf: (part: Predicate) => string): string {
  switch (predicate.kind) {
    case 'constant':
      return String(predicate.value)
    case 'and':
    case 'or':
      return `${predicate.kind}(${predicate.operands.map(keyOf).sort().join(',')})`
    case 'not':
      return `not(${keyOf(predicate.operand)})`
    case 'is-null':
      return `null(${columnKey(predicate.column)})`
    case 'compare':
      return `${predicate.comparison}(${columnKey(predicate.column)},${comparandKey(predicate.comparand)})`
    case 'one-of': {
      const comparands = predicate.comparands.map(comparandKey).sort()
      const items = predicate.orNull ? [...comparands, 'null'] : comparands
      return `in(${[columnKey(predicate.column), ...items].join(',')})`
    }
    case 'match':
      return `${predicate.function}(${columnKey(predicate.column)},${JSON.stringify(predicate.folded)})`
    case 'any': {
      const condition = predicate.condition === null ? '' : `,${keyOf(predicate.condition)}`
      return `any(${predicate.collection}${condition})`
    }
  }
}

export const sortKeyText = ({ column, descending }: SortKey): string =>
  (descending ? '-' : '+') + columnKey(column)

/** Leaves the type out: within a dataset the name determines it. */
export function columnKey(column: ColumnRef): string {
  return column.kind === 'field' ? column.name : `custom${JSON.stringify(column.label)}`
}

export function comparandKey(comparand: Comparand): string {
  switch (comparand.as) {
    case 'text':
      return comparand.text === undefined
        ? JSON.stringify(comparand.folded)
        : `${JSON.stringify(comparand.folded)}/${JSON.stringify(comparand.text)}`
    case 'number':
      return `n${formatDecimal(comparand.value)}`
    case 'number-or-text':
      return `n${formatDecimal(comparand.value)}/${JSON.stringify(comparand.folded)}`
    case 'instant':
      return `i${comparand.instant}`
    case 'instant-or-text':
      return `i${comparand.instant}/${JSON.stringify(comparand.folded)}`
    case 'boolean':
      return `b${comparand.value}`
  }
}
