/** Counts what a request costs, and stops it at its budget. */
import { OverBudget, type WorkBudget } from '../work-budget.ts'
import { KEPT, type Meter, type Step } from './work.ts'

export class RequestMeter implements Meter {
  readonly now: () => number
  readonly #budget: WorkBudget
  #rowsScanned = 0
  #cpuMs = 0

  constructor(budget: WorkBudget, now: () => number) {
    this.#budget = budget
    this.now = now
  }

  /** @throws OverBudget when a plan is certain to look at more rows than it may */
  expect(rowsScanned: number): void {
    const limit = this.#budget.rowsScanned
    if (rowsScanned > limit) throw new OverBudget({ kind: 'certain', rowsScanned, limit })
  }

  /** @throws OverBudget */
  readonly spend = (step: Step, milliseconds: number): void => {
    if (step === KEPT) return
    const { rowsScanned, cpuMs } = this.#budget
    this.#cpuMs += milliseconds
    if (step !== undefined) this.#rowsScanned += step
    if (this.#rowsScanned > rowsScanned) throw new OverBudget({ kind: 'rows', limit: rowsScanned })
    if (this.#cpuMs > cpuMs) throw new OverBudget({ kind: 'cpu', limit: cpuMs })
  }
}
