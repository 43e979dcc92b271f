/**
 * Measures the lasting delay of the event loop: a timer that should fire every tenth of a second measures how late it is, and
 * the smaller one of its last two delays counts. A single stall, such as a garbage collection, is not load.
 */

export type EventLoopDelay = {
  readonly milliseconds: () => number
  readonly stop: () => void
}

const PROBE_EVERY_MS = 100

export function watchEventLoopDelay(clock: () => number = () => performance.now()): EventLoopDelay {
  const delay = new StandingDelay()
  let due = clock() + PROBE_EVERY_MS
  const probe = () => {
    const now = clock()
    delay.add(now - due)
    due = now + PROBE_EVERY_MS
    timer = setTimeout(probe, PROBE_EVERY_MS).unref()
  }
  let timer = setTimeout(probe, PROBE_EVERY_MS).unref()
  return { milliseconds: () => delay.milliseconds, stop: () => clearTimeout(timer) }
}

/** The smaller one of the last two delays, never below zero. */
export class StandingDelay {
  #last = 0
  #standing = 0

  get milliseconds(): number {
    return this.#standing
  }

  add(delayMs: number): void {
    this.#standing = Math.max(0, Math.min(this.#last, delayMs))
    this.#last = delayMs
  }
}
