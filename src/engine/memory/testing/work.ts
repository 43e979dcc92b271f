/** For tests: does a work without a pause, and counts what it says to cost. */
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
