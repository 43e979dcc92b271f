/**
 * Work that shares its thread. A long computation is a generator that yields wherever pausing is harmless; the runner
 * looks at the clock there. However many computations are under way, the event loop turns after one share of time: works
 * that were paused go on one a turn, those of the owner for whom the least was done first. Short work never pauses.
 */
import type { Cancellation } from '../../kernel/cancellation.ts'
import { FairTurns } from './fair-turns.ts'

/**
 * What a work says where it may pause: nothing, or the rows that it is about to look at, so that it can be stopped
 * before. Or that what it just did is kept for all requests of the snapshot, and is not a matter of this one.
 */
export type Step = undefined | number | typeof KEPT

export const KEPT: unique symbol = Symbol('kept')

export type Work<T> = Iterable<Step, T, undefined>

/** Counts what a work costs, and throws when that is too much. */
export type Meter = {
  readonly now: () => number
  readonly spend: (step: Step, milliseconds: number) => void
  /** The work waits for its next turn, and goes on. */
  readonly pause: () => void
  readonly resume: () => void
}

const nothing = (): void => undefined
const unmetered: Meter = { now: () => performance.now(), spend: nothing, pause: nothing, resume: nothing }

/** How long one turn of the event loop may be held by works together. */
const SHARE_MS = 3

/** What a work may use at once when the share of the turn is spent: enough for short ones to get by. */
const FIRST_SHARE_MS = 0.5

/** @throws whatever the work or the meter throws, and the reason when it was cancelled while the work paused */
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
  if (milliseconds < FIRST_SHARE_MS) return // not worth a turn of its own
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

/** Work that was too little to pause in. */
export const done = <T>(value: T): Work<T> => new Done(value)

/** A class, because an object with a method under a symbol costs microseconds each time one is written out. */
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
