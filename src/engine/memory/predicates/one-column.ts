/** Groups the operands of an `or` by column, so that those of one column can be answered together. */
import { columnKey } from '../../../query/plan/plan-key.ts'
import type { Predicate } from '../../../query/plan/plan-nodes.ts'
import type { OfOneColumn } from './column-filter.ts'
import type { ColumnPredicate } from './column-predicate.ts'
import type { Repeats } from './repeats.ts'

export type ByColumn = { readonly columns: readonly OfOneColumn[]; readonly others: readonly Predicate[] }

/** A predicate that also occurs elsewhere is not grouped: both places share its answer. */
export function byColumn(operands: readonly Predicate[], { keyOf }: Repeats): ByColumn {
  const columns = new Map<string, [ColumnPredicate, ...ColumnPredicate[]]>()
  const others: Predicate[] = []
  for (const operand of operands) {
    if (!('column' in operand) || keyOf(operand) !== null) {
      others.push(operand)
      continue
    }
    const key = columnKey(operand.column)
    const known = columns.get(key)
    if (known === undefined) columns.set(key, [operand])
    else known.push(operand)
  }
  return { columns: [...columns.values()], others }
}
