/** Counts what a request costs, and stops it at its budget. */
import { OverBudget, type WorkBudget } from '../work-budget.ts'
import { KEPT, type Meter, type Step } from './work.ts'

/** In milliseconds, neither of which goes back. */
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
 * Time passes without any work where other programs have the processor: from the first pause on, which short requests do
 * not come to, it is the processor time of the thread that counts. What is kept for all requests is left out by its share.
 */
export class RequestMeter implements Meter {
  readonly now: () => number
  readonly #clock: WorkClock
  readonly #budget: WorkBudget
  #rowsScanned = 0
  #cpuMs = 0
  /** Since the work began or went on: what passed, and how much of that was for this request alone. */
  #passedMs = 0
  #ownMs = 0
  #resumedAt: number | null = null

  constructor(budget: WorkBudget, clock: WorkClock) {
    this.#budget = budget
    this.#clock = clock
    this.now = clock.now
  }

  /** @throws OverBudget when a plan is certain to look at more rows than it may */
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
