/**
 * Remembers for a short time which plans were stopped, by their key: repeated at once, they would be stopped again after the
 * same work. A plan is forgotten before the time that the refusal names has passed.
 */
import type { OverBudget } from '../work-budget.ts'

type Stop = { readonly reason: OverBudget; readonly until: number }

/** Less than the 30 seconds after which a caller is told to try again. */
const REMEMBERED_MS = 25_000

const MOST_REMEMBERED = 256

export class StoppedPlans {
  /** The oldest stop is first. */
  readonly #stops = new Map<string, Stop>()

  /** Why the plan was stopped; null unless that was a short time ago. */
  reasonOf(key: string, now: number): OverBudget | null {
    if (this.#stops.size === 0) return null
    const stop = this.#stops.get(key)
    if (stop === undefined) return null
    if (now < stop.until) return stop.reason
    this.#stops.delete(key)
    return null
  }

  note(key: string, reason: OverBudget, now: number): void {
    this.#stops.delete(key)
    this.#stops.set(key, { reason, until: now + REMEMBERED_MS })
    if (this.#stops.size <= MOST_REMEMBERED) return
    for (const oldest of this.#stops.keys()) {
      this.#stops.delete(oldest)
      return
    }
  }
}
