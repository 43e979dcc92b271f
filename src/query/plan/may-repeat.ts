import { columnKey } from './plan-key.ts'
import type { Predicate } from './plan-nodes.ts'

type Leaf = {
  readonly predicate: Extract<Predicate, { readonly column: unknown } | { readonly kind: 'any' }>
  readonly isElement: boolean
}

/** Filters of more leaves than this are not looked through leaf by leaf. */
const MANY = 12

/**
 * Whether some part of the filter may occur in it twice. None does where all leaves differ in their column or in what they
 * ask of it: that is so for most filters, and found out for less than their keys cost.
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
  if (a.kind !== b.kind || isElement !== isOtherElement) return false
  if (a.kind === 'compare' && b.kind === 'compare' && a.comparison !== b.comparison) return false
  if (a.kind === 'match' && b.kind === 'match' && a.folded !== b.folded) return false
  if (a.kind === 'any' || b.kind === 'any') return true
  return columnKey(a.column) === columnKey(b.column)
}
