import { columnKey } from '../plan-key.ts'
import type { ColumnRef, Comparand, Predicate } from '../plan-nodes.ts'
import { oneOf } from './collapse-lists.ts'

type Equalities = {
  readonly column: ColumnRef
  readonly comparands: readonly Comparand[]
  readonly orNull: boolean
}

/**
 * `status eq 'HK' or status eq 'XX' or status eq null` is `status in ('HK', 'XX', null)`: the column is read once. The list
 * takes the place of the first equality of the column.
 */
export function mergeEqualities(operands: readonly Predicate[]): readonly Predicate[] {
  const byColumn = new Map<string, Equalities[]>()
  const order: (Predicate | Equalities[])[] = []
  for (const operand of operands) {
    const equalities = equalitiesOf(operand)
    if (equalities === undefined) {
      order.push(operand)
      continue
    }
    const key = columnKey(equalities.column)
    const gathered = byColumn.get(key) ?? []
    if (gathered.push(equalities) > 1) continue
    byColumn.set(key, gathered)
    order.push(gathered)
  }
  return order.map((entry) => (Array.isArray(entry) ? union(entry) : entry))
}

function union(gathered: readonly Equalities[]): Predicate {
  const [first] = gathered
  if (first === undefined) return { kind: 'constant', value: false }
  const comparands = gathered.flatMap((equalities) => equalities.comparands)
  return oneOf(
    first.column,
    comparands,
    gathered.some(({ orNull }) => orNull),
  )
}

function equalitiesOf(predicate: Predicate): Equalities | undefined {
  if (predicate.kind === 'one-of') return predicate
  if (predicate.kind === 'is-null') return { column: predicate.column, comparands: [], orNull: true }
  if (predicate.kind !== 'compare' || predicate.comparison !== 'eq') return undefined
  return { column: predicate.column, comparands: [predicate.comparand], orNull: false }
}
