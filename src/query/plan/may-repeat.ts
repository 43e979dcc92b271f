import { columnKey } from './plan-key.ts'
import type { Predicate } from './plan-nodes.ts'

type Leaf = {
  readonly predicate: Extract<Predicate, { readonly column: unknown } | { readonly kind: 'any' }>
  readonly isElement: boolean
}

/** Filters with more leaves than this are not compared leaf by leaf. */
const MANY = 12

/**
 * Whether some part of the filter may occur twice. No part does if all leaves differ in their column or their test. This is so
 * for most filters, and the check costs less than computing their keys.
 */
export function mayRepeat(where: Predicate): boolean {
  const leaves: Leaf[] = []
  addLeaves(where, false, leaves)
  if (leaves.length > MANY) return true
  return leaves.some((leaf, i) => leaves.some((other, j) => j > i && areAlike(leaf, other)))
}

function addLeaves(predicate: Predicate, isElement: boolean, leaves: Leaf[]): void {
  switch (predicate.kind) {
    case 'constant':
      return
    case 'and':
    case 'or':
      for (const operand of predicate.operands) addLeaves(operand, isElement, leaves)
      return
    case 'not':
      addLeaves(predicate.operand, isElement, leaves)
      return
    case 'any':
      if (predicate.condition === null) leaves.push({ predicate, isElement })
      else addLeaves(predicate.condition, true, leaves)
      return
    case 'is-null':
    case 'compare':
    case 'one-of':
    case 'match':
      leaves.push({ predicate, isElement })
  }
}

function areAlike(
  { predicate: a, isElement }: Leaf,
  { predicate: b, isElement: isOtherElement }: Leaf,
): boolean {
  if (isElement !== isOtherElement || testOf(a) !== testOf(b)) return false
  if (a.kind === 'compare' && b.kind === 'compare' && a.comparison !== b.comparison) return false
  if (a.kind === 'match' && b.kind === 'match' && a.folded !== b.folded) return false
  if (a.kind === 'any' || b.kind === 'any') return true
  return columnKey(a.column) === columnKey(b.column)
}

/** Equalities of one column become a list, which may then equal another list. */
function testOf(predicate: Leaf['predicate']): string {
  const isEquality =
    predicate.kind === 'is-null' ||
    predicate.kind === 'one-of' ||
    (predicate.kind === 'compare' && predicate.comparison === 'eq')
  return isEquality ? 'equality' : predicate.kind
}
