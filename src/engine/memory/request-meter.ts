/** Counts the cost of a request, and stops it at its budget. */
import { OverBudget, type WorkBudget } from '../work-budget.ts'
import { KEPT, type Meter, type Step } from './work.ts'

/** Two clocks in milliseconds; neither ever goes back. */
export type WorkClock = {
  readonly now: () => number
  /** Processor time of this thread. */
  readonly cpu: () => number
}

export const systemClock: WorkClock = {
  now: () => performance.now(),
  cpu: () => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1000
  },
}

/**
 * Time also passes while other programs use the processor. So after the first pause, which short requests never reach, the
 * processor time of the thread counts. The share of work that is kept for all requests is left out.
 */
export class RequestMeter implements Meter {
  readonly now: () => number
  readonly #clock: WorkClock
  readonly #budget: WorkBudget
  #rowsScanned = 0
  #cpuMs = 0
  /** Time since the work began or was resumed: all of it, and the part that was spent for this request alone. */
  #passedMs = 0
  #ownMs = 0
  #resumedAt: number | null = null

  constructor(budget: WorkBudget, clock: WorkClock) {
    this.#budget = budget
    this.#clock = clock
    this.now = clock.now
  }

  /** @throws OverBudget when a plan is certain to scan more rows than it may */
  expect(rowsScanned: number): void {
    const limit = this.#budget.rowsScanned
    if (rowsScanned > limit) throw new OverBudget({ kind: 'certain', rowsScanned, limit })
  }

  /** @throws OverBudget */
  readonly spend = (step: Step, milliseconds: number): void => {
    this.#passedMs += milliseconds
    if (step === KEPT) return
    this.#ownMs += milliseconds
    if (step === undefined) return
    this.#rowsScanned += step
    const limit = this.#budget.rowsScanned
    if (this.#rowsScanned > limit) throw new OverBudget({ kind: 'rows', limit })
  }

  /** @throws OverBudget */
  pause(): void {
    const used = this.#resumedAt === null ? this.#passedMs : this.#clock.cpu() - this.#resumedAt
    if (this.#passedMs > 0) this.#cpuMs += (used * this.#ownMs) / this.#passedMs
    this.#passedMs = 0
    this.#ownMs = 0
    const limit = this.#budget.cpuMs
    if (this.#cpuMs > limit) throw new OverBudget({ kind: 'cpu', limit })
  }

  resume(): void {
    this.#resumedAt = this.#clock.cpu()
  }
}
