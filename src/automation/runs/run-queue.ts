/**
 * Limits how many runs there are at once, per endpoint and in total. Further runs wait. Endpoints share the places by the time
 * for which their runs hold them (deficit round robin), so that an endpoint with many or long runs keeps others waiting for a
 * round at most. Runs of one endpoint begin in the order in which they arrived. The number of waiting runs and their waiting
 * time are limited too.
 *
 * A run that waits for something slow leaves its place to another run, and takes one again, before new runs of its endpoint,
 * before it goes on. It still counts as a run of its endpoint and as one of those that exist, because it takes memory.
 */
import { DeficitRoundRobin } from '../../kernel/scheduling/deficit-round-robin.ts'
import type { RunPlace } from '../../script/script.ts'
import { queueFull, serviceStopping, waitedTooLong } from '../problems.ts'

export type RunQueueLimits = {
  /** The most runs that have a place at the same time, of all endpoints together. */
  readonly running: number
  /** The most runs that exist at the same time: those with a place, and those that wait for something slow. */
  readonly existing: number
  /** The most runs that exist at the same time of one endpoint that sets no limit of its own. */
  readonly runningOfOne: number
  /** The most runs that may wait to begin. One endpoint may use half of this number, so that some are left for the others. */
  readonly waiting: number
  readonly waitMs: number
}

/** A run that exists. */
type Run = {
  readonly endpointId: string
  state: 'working' | 'away' | 'returning' | 'ended'
  /** When it took its place, by the clock of the queue. */
  since: number
  /** What was charged when it took its place. */
  paidMs: number
  /** Its entry while it is returning. */
  returning: Waiting | null
}

type Waiting = {
  readonly endpointId: string
  /** The most runs of its endpoint, for a run that begins; null for one that returns to a place. */
  readonly most: number | null
  readonly admit: () => void
}

/** What an endpoint may use in one round, in milliseconds of a place. */
const QUANTUM_MS = 10

/** No run costs less: an endpoint has at most 20 runs in a round, however short they are. */
const LEAST_MS = QUANTUM_MS / 20

const MOST_DEBT_MS = 16 * QUANTUM_MS

export class RunQueue {
  readonly #limits: RunQueueLimits
  readonly #now: () => number
  readonly #runs = new Counts()
  /** The runs that have no place at the moment. */
  #away = 0
  readonly #waitingOf = new Counts()
  readonly #waiting = new DeficitRoundRobin<Waiting>({
    quantum: QUANTUM_MS,
    // How long a run takes is known when it ends; it is charged for the difference then.
    leastCost: QUANTUM_MS,
    mostDebt: MOST_DEBT_MS,
  })
  /** How to refuse each of the runs that wait to begin. */
  readonly #refusals = new Set<(reason: Error) => void>()
  readonly #idle = new Set<() => void>()
  #isClosed = false

  /** @param now milliseconds of a clock that only grows */
  constructor(limits: RunQueueLimits, now: () => number = () => performance.now()) {
    this.#limits = limits
    this.#now = now
  }

  /** The runs that have begun and not ended, with or without a place. */
  get running(): number {
    return this.#runs.total
  }

  /** Those of the running that wait for something slow, or for a place after that. */
  get away(): number {
    return this.#away
  }

  /** The runs that have not begun. */
  get waiting(): number {
    return this.#waitingOf.total
  }

  /** The same for the metrics; each run counts once. */
  get counts(): { readonly queued: number; readonly working: number; readonly away: number } {
    return { queued: this.waiting, working: this.running - this.#away, away: this.#away }
  }

  /**
   * Does the work as soon as there is a free place.
   *
   * @param most the most runs of this endpoint at the same time; undefined for the default
   * @param onWait called when the run has to wait, with a function that takes it out of the queue; afterwards that does nothing
   * @throws Problem END101 when too many runs wait, END102 when no place becomes free in time, END104 when the queue is closed
   */
  async run<T>(
    endpointId: string,
    most: number | undefined,
    work: (place: RunPlace) => Promise<T>,
    onWait?: (refuse: (reason: Error) => void) => void,
  ): Promise<T> {
    if (this.#isClosed) throw serviceStopping()
    const mostOfOne = most ?? this.#limits.runningOfOne
    let paidMs = 0
    if (this.#waitingOf.of(endpointId) === 0 && this.#mayBegin(endpointId, mostOfOne)) {
      this.#runs.add(endpointId, 1)
    } else {
      await this.#turn(endpointId, mostOfOne, onWait)
      paidMs = QUANTUM_MS
    }
    const run: Run = { endpointId, state: 'working', since: this.#now(), paidMs, returning: null }
    try {
      return await work({ leave: () => this.#leave(run), retake: () => this.#retake(run) })
    } finally {
      this.#end(run)
      this.#admitWaiting()
      if (this.#isIdle) for (const tell of this.#idle) tell()
    }
  }

  /** Resolves when no run is running or waiting. */
  async idle(): Promise<void> {
    while (!this.#isIdle) {
      await new Promise<void>((resolve) => {
        const tell = () => {
          this.#idle.delete(tell)
          resolve()
        }
        this.#idle.add(tell)
      })
    }
  }

  /** Refuses new and waiting runs. Runs that have begun continue. */
  close(): void {
    this.#isClosed = true
    for (const refuse of [...this.#refusals]) refuse(serviceStopping())
    if (this.#isIdle) for (const tell of this.#idle) tell()
  }

  get #isIdle(): boolean {
    return this.running === 0 && this.waiting === 0
  }

  get #hasPlace(): boolean {
    return this.#runs.total - this.#away < this.#limits.running
  }

  #mayBegin(endpointId: string, most: number): boolean {
    return this.#hasPlace && this.#runs.total < this.#limits.existing && this.#runs.of(endpointId) < most
  }

  /** Resolves when the run may begin; it is counted then. */
  #turn(endpointId: string, most: number, onWait?: (refuse: (reason: Error) => void) => void): Promise<void> {
    const { waiting, waitMs } = this.#limits
    const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000))
    if (this.waiting >= waiting || this.#waitingOf.of(endpointId) >= Math.ceil(waiting / 2)) {
      throw queueFull(this.waiting, retryAfterSeconds)
    }
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer)
        this.#refusals.delete(refuse)
        this.#waitingOf.add(endpointId, -1)
      }
      const admit = () => {
        leave()
        this.#runs.add(endpointId, 1)
        resolve()
      }
      const refuse = (reason: Error) => {
        leave()
        this.#waiting.delete(endpointId, entry)
        reject(reason)
      }
      const entry: Waiting = { endpointId, most, admit }
      const timer = setTimeout(() => refuse(waitedTooLong(waitMs, retryAfterSeconds)), waitMs)
      this.#refusals.add(refuse)
      this.#waiting.add(endpointId, entry)
      this.#waitingOf.add(endpointId, 1)
      onWait?.((reason) => {
        if (this.#refusals.has(refuse)) refuse(reason)
      })
    })
  }

  #leave(run: Run): void {
    if (run.state !== 'working') return
    this.#charge(run)
    run.state = 'away'
    this.#away++
    this.#admitWaiting()
  }

  #retake(run: Run): Promise<void> {
    if (run.state !== 'away') return Promise.resolve()
    if (this.#hasPlace) {
      this.#return(run, 0)
      return Promise.resolve()
    }
    run.state = 'returning'
    return new Promise((resolve) => {
      const admit = () => {
        this.#return(run, QUANTUM_MS)
        resolve()
      }
      run.returning = { endpointId: run.endpointId, most: null, admit }
      this.#waiting.add(run.endpointId, run.returning, true)
    })
  }

  #return(run: Run, paidMs: number): void {
    this.#away--
    run.state = 'working'
    run.since = this.#now()
    run.paidMs = paidMs
    run.returning = null
  }

  #end(run: Run): void {
    if (run.state === 'working') this.#charge(run)
    else this.#away--
    if (run.returning !== null) this.#waiting.delete(run.endpointId, run.returning)
    run.state = 'ended'
    this.#runs.add(run.endpointId, -1)
  }

  #charge({ endpointId, since, paidMs }: Run): void {
    this.#waiting.charge(endpointId, Math.max(LEAST_MS, this.#now() - since) - paidMs)
  }

  #admitWaiting(): void {
    while (this.#hasPlace) {
      const next = this.#waiting.next(
        ({ endpointId, most }) => most === null || this.#mayBegin(endpointId, most),
      )
      if (next === undefined) return
      next.admit()
    }
  }
}

/** Counts by endpoint and in total. An endpoint whose count is 0 takes no memory. */
class Counts {
  readonly #byEndpoint = new Map<string, number>()
  total = 0

  of(endpointId: string): number {
    return this.#byEndpoint.get(endpointId) ?? 0
  }

  add(endpointId: string, change: number): void {
    this.total += change
    const count = this.of(endpointId) + change
    if (count === 0) this.#byEndpoint.delete(endpointId)
    else this.#byEndpoint.set(endpointId, count)
  }
}
