/** For tests: does a work without pausing, and counts the cost that it announces. */
import type { Work } from '../work.ts'

export function countedWork<T>(work: Work<T>): { readonly value: T; readonly rowsScanned: number } {
  const steps = work[Symbol.iterator]()
  let rowsScanned = 0
  for (;;) {
    const step = steps.next()
    if (step.done) return { value: step.value, rowsScanned }
    if (typeof step.value === 'number') rowsScanned += step.value
  }
}
