import { datasetsByName } from '../../../schema/datasets.ts'
import { columnKey } from '../plan-key.ts'
import type { SortKey } from '../plan-nodes.ts'
import type { PlanPass } from './rewrite-predicate.ts'

/** A second sort key on the same column has no effect. */
export const dropRepeatedSortKeys: PlanPass = (plan) => {
  const seen = new Set<string>()
  const orderBy = plan.orderBy.filter(({ column }) => {
    const key = columnKey(column)
    const first = !seen.has(key)
    seen.add(key)
    return first
  })
  return { ...plan, orderBy }
}

/**
 * Drops last keys that begin the default order, which follows anyway: `bookingDate` alone has no effect. Texts do: the default
 * order has those of identities by code point, letter case included.
 */
export const dropDefaultSortKeys: PlanPass = (plan) => {
  const { defaultOrder } = datasetsByName[plan.dataset]
  const start = plan.orderBy.findIndex((_, from) =>
    beginsDefaultOrder(plan.orderBy.slice(from), defaultOrder),
  )
  return start === -1 ? plan : { ...plan, orderBy: plan.orderBy.slice(0, start) }
}

function beginsDefaultOrder(keys: readonly SortKey[], defaultOrder: readonly string[]): boolean {
  return keys.every(
    ({ column, descending }, i) =>
      column.kind === 'field' && column.type !== 'text' && column.name === defaultOrder[i] && !descending,
  )
}
