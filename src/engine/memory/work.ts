/**
 * Work that shares its thread. A long computation is a generator that yields wherever pausing is harmless; the runner
 * looks at the clock there and lets the event loop turn once a share is used up. Short work never pauses.
 */
import { setImmediate } from 'node:timers/promises'

export type Work<T> = Iterable<undefined, T, undefined>

/** How long a request may hold its thread before others get their turn. */
const SHARE_MS = 5

export async function runWork<T>(work: Work<T>): Promise<T> {
  const steps = work[Symbol.iterator]()
  let began = performance.now()
  let step = steps.next()
  while (!step.done) {
    if (performance.now() - began > SHARE_MS) {
      await setImmediate()
      began = performance.now()
    }
    step = steps.next()
  }
  return step.value
}

/** Work that was too little to pause in. */
export function done<T>(value: T): Work<T> {
  return { [Symbol.iterator]: () => ({ next: () => ({ done: true, value }) }) }
}

export const nothingLeft: Work<void> = done(undefined)
