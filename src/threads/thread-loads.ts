/** Counts the runs of each thread, so that the next one goes to the thread with the least to do. */

export type LoadingRun = {
  /** The run waits for something slow. */
  readonly leave: () => void
  readonly return: () => void
  readonly end: () => void
}

/** What a run that waits counts, compared with one that works: it may go on soon. */
const AWAY_SHARE = 1 / 16

export class ThreadLoads<Thread> {
  readonly #runs = new Map<Thread, { count: number; away: number }>()

  /** The threads that have runs. */
  get busy(): Iterable<Thread> {
    return this.#runs.keys()
  }

  of(thread: Thread): number {
    const { count = 0, away = 0 } = this.#runs.get(thread) ?? {}
    return count - away + AWAY_SHARE * away
  }

  begin(thread: Thread): LoadingRun {
    const runs = this.#runs.get(thread) ?? { count: 0, away: 0 }
    this.#runs.set(thread, runs)
    runs.count++
    let isAway = false
    const move = (leaves: boolean) => {
      if (leaves !== isAway) runs.away += leaves ? 1 : -1
      isAway = leaves
    }
    return {
      leave: () => move(true),
      return: () => move(false),
      end: () => {
        move(false)
        runs.count--
        if (runs.count === 0) this.#runs.delete(thread)
      },
    }
  }
}
