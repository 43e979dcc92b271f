import { datasetsByName } from '../../../schema/datasets.ts'
import { columnKey } from '../plan-key.ts'
import type { SortKey } from '../plan-nodes.ts'
import type { PlanPass } from './rewrite-predicate.ts'

/** Rows that are equal by a column stay so: a second sort key on it decides nothing. */
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

/** Last keys that begin the default order say what follows anyway: `bookingDate` alone is no sorting at all. */
export const dropDefaultSortKeys: PlanPass = (plan) => {
  const { defaultOrder } = datasetsByName[plan.dataset]
  const start = plan.orderBy.findIndex((_, from) =>
    beginsDefaultOrder(plan.orderBy.slice(from), defaultOrder),
  )
  return start === -1 ? plan : { ...plan, orderBy: plan.orderBy.slice(0, start) }
}

function beginsDefaultOrder(keys: readonly SortKey[], defaultOrder: readonly string[]): boolean {
  return keys.every(
    ({ column, descending }, i) => column.kind === 'field' && column.name === defaultOrder[i] && !descending,
  )
}
