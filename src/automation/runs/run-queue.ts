/**
 * Limits how many runs there are at once, per endpoint and in total. Further runs wait in order of arrival; a run overtakes waiting
 * runs whose endpoint has used all its places. The number of waiting runs and their waiting time are limited too.
 */
import { queueFull, serviceStopping, waitedTooLong } from '../problems.ts'

export type RunQueueLimits = {
  /** The most runs at the same time, of all endpoints together. */
  readonly running: number
  /** The most runs at the same time of one endpoint that sets no limit of its own. */
  readonly runningOfOne: number
  /** The most runs that may wait. One endpoint may use half of these places, so that some are left for the others. */
  readonly waiting: number
  readonly waitMs: number
}

type Waiting = {
  readonly endpointId: string
  readonly most: number
  readonly admit: () => void
  readonly refuse: (reason: Error) => void
}

export class RunQueue {
  readonly #limits: RunQueueLimits
  readonly #running = new Counts()
  readonly #waitingOf = new Counts()
  readonly #waiting = new Set<Waiting>()
  readonly #idle = new Set<() => void>()
  #isClosed = false

  constructor(limits: RunQueueLimits) {
    this.#limits = limits
  }

  get running(): number {
    return this.#running.total
  }

  get waiting(): number {
    return this.#waitingOf.total
  }

  /**
   * Does the work as soon as there is a free place.
   *
   * @param most the most runs of this endpoint at the same time; undefined for the default
   * @param onWait called when the run has to wait, with a function that takes it out of the queue
   * @throws Problem END101 when too many runs wait, END102 when no place becomes free in time, END104 when the queue is closed
   */
  async run<T>(
    endpointId: string,
    most: number | undefined,
    work: () => Promise<T>,
    onWait?: (refuse: (reason: Error) => void) => void,
  ): Promise<T> {
    if (this.#isClosed) throw serviceStopping()
    const mostOfOne = most ?? this.#limits.runningOfOne
    if (this.#hasPlace(endpointId, mostOfOne)) this.#running.add(endpointId, 1)
    else await this.#turn(endpointId, mostOfOne, onWait)
    try {
      return await work()
    } finally {
      this.#running.add(endpointId, -1)
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
    for (const { refuse } of [...this.#waiting]) refuse(serviceStopping())
    if (this.#isIdle) for (const tell of this.#idle) tell()
  }

  get #isIdle(): boolean {
    return this.running === 0 && this.waiting === 0
  }

  #hasPlace(endpointId: string, most: number): boolean {
    return this.#running.total < this.#limits.running && this.#running.of(endpointId) < most
  }

  /** Resolves when the run has taken a place. */
  #turn(endpointId: string, most: number, onWait?: (refuse: (reason: Error) => void) => void): Promise<void> {
    const { waiting, waitMs } = this.#limits
    const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000))
    if (this.waiting >= waiting || this.#waitingOf.of(endpointId) >= Math.ceil(waiting / 2)) {
      throw queueFull(this.waiting, retryAfterSeconds)
    }
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer)
        this.#waiting.delete(entry)
        this.#waitingOf.add(endpointId, -1)
      }
      const admit = () => {
        leave()
        this.#running.add(endpointId, 1)
        resolve()
      }
      const refuse = (reason: Error) => {
        leave()
        reject(reason)
      }
      const entry: Waiting = { endpointId, most, admit, refuse }
      const timer = setTimeout(() => refuse(waitedTooLong(waitMs, retryAfterSeconds)), waitMs)
      this.#waiting.add(entry)
      this.#waitingOf.add(endpointId, 1)
      onWait?.((reason) => {
        if (this.#waiting.has(entry)) refuse(reason)
      })
    })
  }

  #admitWaiting(): void {
    for (const { endpointId, most, admit } of this.#waiting) {
      if (this.#running.total >= this.#limits.running) return
      if (this.#hasPlace(endpointId, most)) admit()
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
