/** Finds the records that satisfy a condition. */
import type { Predicate } from '../../query/plan/plan-nodes.ts'
import { wholeWindow } from './bitmap.ts'
import { everyRow, type MatchingRows, markedRows } from './matching-rows.ts'
import { certainRows } from './predicates/certain-rows.ts'
import { lower } from './predicates/lower.ts'
import { repeatsIn } from './predicates/repeats.ts'
import type { RequestMeter } from './request-meter.ts'
import type { Scope } from './scope.ts'
import type { Work } from './work.ts'

/** @throws OverBudget when the condition is certain to scan more rows than it may */
export function* matching(where: Predicate | null, records: Scope, meter: RequestMeter): Work<MatchingRows> {
  if (where === null) return everyRow(records.count)
  const repeats = repeatsIn(where)
  meter.expect(certainRows(where, records, repeats))
  const filter = yield* lower(where, records, repeats)
  const bits = records.bitmaps.take()
  yield* filter.fill(bits, wholeWindow(records.count))
  return markedRows(bits, records.bitmaps)
}
