/**
 * Runs work that shares its thread. A long computation is a generator that yields wherever it may pause; the runner checks
 * the clock there. However many computations are running, the event loop turns after one share of time. In each turn one
 * paused work continues; owners for whom the least time was spent come first. Short work never pauses.
 */
import type { Cancellation } from '../../kernel/cancellation.ts'
import { FairTurns } from './fair-turns.ts'

/**
 * What a work yields where it may pause: nothing; or the number of rows that it is about to scan, so that it can be stopped
 * before; or `KEPT`: the result of the last step is kept for all requests, so that it does not count for this one.
 */
export type Step = undefined | number | typeof KEPT

export const KEPT: unique symbol = Symbol('kept')

export type Work<T> = Iterable<Step, T, undefined>

/** Counts what a work costs, and throws when that is too much. */
export type Meter = {
  readonly now: () => number
  readonly spend: (step: Step, milliseconds: number) => void
  /** Called when the work begins to wait for its next turn; `resume` when it continues. */
  readonly pause: () => void
  readonly resume: () => void
}

const nothing = (): void => undefined
const unmetered: Meter = { now: () => performance.now(), spend: nothing, pause: nothing, resume: nothing }

/** How long all works together may hold one turn of the event loop. */
const SHARE_MS = 3

/** What a new work may still use when the share of the turn is spent: enough for short works to finish. */
const FIRST_SHARE_MS = 0.5

/** @throws what the work or the meter throws; the reason when the request was cancelled while the work paused */
export async function runWork<T>(
  work: Work<T>,
  cancellation?: Cancellation,
  meter: Meter = unmetered,
): Promise<T> {
  const steps = work[Symbol.iterator]()
  const owner = cancellation?.owner ?? ''
  let share = Math.max(FIRST_SHARE_MS, SHARE_MS - spent)
  for (;;) {
    const result = runShare(steps, share, owner, meter)
    if (result !== undefined) return result.value
    meter.pause()
    await nextTurn(owner)
    if (cancellation?.aborted) throw cancellation.reason ?? new Error('The work was cancelled')
    meter.resume()
    share = SHARE_MS
  }
}

/** Undefined while there is more to do. */
function runShare<T>(
  steps: Iterator<Step, T, undefined>,
  share: number,
  owner: string,
  { now, spend: meter }: Meter,
): { readonly value: T } | undefined {
  const began = now()
  let at = began
  try {
    do {
      const step = steps.next()
      const before = at
      at = now()
      if (step.done) return step
      meter(step.value, at - before)
    } while (at - began < share)
    return undefined
  } finally {
    spend(at - began, owner)
  }
}

/** Milliseconds that works have used of this turn of the event loop. */
let spent = 0

const turns = new FairTurns()

let turnIsDue = false

function spend(milliseconds: number, owner: string): void {
  if (milliseconds < FIRST_SHARE_MS) return // too little for a separate turn
  spent += milliseconds
  turns.charge(owner, milliseconds)
  awaitTurn()
}

function nextTurn(owner: string): Promise<void> {
  awaitTurn()
  return new Promise((resolve) => turns.pause(owner, resolve))
}

function awaitTurn(): void {
  if (turnIsDue) return
  turnIsDue = true
  setImmediate(takeTurn)
}

function takeTurn(): void {
  turnIsDue = false
  spent = 0
  turns.next()?.()
  if (turns.hasPaused) awaitTurn()
}

/** Work that is already done. */
export const done = <T>(value: T): Work<T> => new Done(value)

/** A class, because an object literal with a method under a symbol costs microseconds each time. */
class Done<T> implements Iterator<Step, T, undefined> {
  readonly #result: IteratorReturnResult<T>

  constructor(value: T) {
    this.#result = { done: true, value }
  }

  [Symbol.iterator](): this {
    return this
  }

  next(): IteratorReturnResult<T> {
    return this.#result
  }
}

export const nothingLeft: Work<void> = done(undefined)
