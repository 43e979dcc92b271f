/**
 * When was a file used last? Noted by every thread in memory that they share, so that noting is a store and no message.
 * A use gets the next number of a clock that is shared as well: larger is later.
 */
export type LruClock = {
  /** Of which other threads make their own with {@link openLruClock}. */
  readonly memory: SharedArrayBuffer
  readonly note: (place: number) => void
  readonly of: (place: number) => number
}

/** How many files can be told apart. The memory of places nobody has used is never touched, and so costs nothing. */
export const PLACES = 2 ** 18

/** The first word is the clock, so that no file has place 0. */
export function openLruClock(memory = new SharedArrayBuffer((PLACES + 1) * 8)): LruClock {
  const words = new Float64Array(memory)
  return {
    memory,
    // Not atomic: two threads that note at the same moment may get one number, and either is as good.
    note: (place) => {
      words[0]!++
      words[place] = words[0]!
    },
    of: (place) => words[place]!,
  }
}
