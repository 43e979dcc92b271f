/**
 * Notes when each file was last used, in memory that all threads share: a note is a store, not a message. Each use gets the
 * next number of a shared clock: a larger number is a later use.
 */
export type LruClock = {
  /** The shared memory, which other threads open with {@link openLruClock}. */
  readonly memory: SharedArrayBuffer
  readonly note: (place: number) => void
  readonly of: (place: number) => number
}

/** How many files can be noted. Unused places are never touched, so their memory costs nothing. */
export const PLACES = 2 ** 18

/** The first word is the clock, so that no file has place 0. */
export function openLruClock(memory = new SharedArrayBuffer((PLACES + 1) * 8)): LruClock {
  const words = new Float64Array(memory)
  return {
    memory,
    // Not atomic: two threads that note at the same time may get the same number, which does no harm.
    note: (place) => {
      words[0]!++
      words[place] = words[0]!
    },
    of: (place) => words[place]!,
  }
}
