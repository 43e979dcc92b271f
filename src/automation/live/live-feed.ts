/**
 * The events of live runs for those who watch. While nobody watches, nothing is kept and nothing is computed. A watcher asks for
 * the events after a number; asking keeps the feed open for some seconds. What a slow watcher has missed is counted.
 */
import type { LiveEvent } from '../../schema/execution-shapes.ts'

export type LiveEvents = {
  /** The number of the last event; to be passed with the next question. */
  readonly sequence: number
  readonly events: readonly LiveEvent[]
  /** Events that came after the given number and are not kept any more. */
  readonly dropped: number
}

/** How long the feed stays open after a question. */
export const LEASE_MS = 5000
/** How long a question waits for an event. */
const WAIT_MS = 1000
const MOST_EVENTS = 5000
/** Estimated, in UTF-16 code units. */
const MOST_SIZE = 4 * 2 ** 20

type Limits = { readonly events?: number; readonly size?: number; readonly waitMs?: number }

export class LiveFeed {
  readonly #mostEvents: number
  readonly #mostSize: number
  readonly #waitMs: number
  #events: LiveEvent[] = []
  #size = 0
  /** The number of the newest event. */
  #sequence = 0
  #lease: NodeJS.Timeout | undefined
  #waiting = Promise.withResolvers<void>()

  constructor({ events = MOST_EVENTS, size = MOST_SIZE, waitMs = WAIT_MS }: Limits = {}) {
    this.#mostEvents = events
    this.#mostSize = size
    this.#waitMs = waitMs
  }

  get isWatched(): boolean {
    return this.#lease !== undefined
  }

  get sequence(): number {
    return this.#sequence
  }

  /** Opens the feed, or keeps it open. */
  watch(): void {
    if (this.#lease === undefined) this.#lease = setTimeout(() => this.close(), LEASE_MS).unref()
    else this.#lease.refresh()
  }

  close(): void {
    clearTimeout(this.#lease)
    this.#lease = undefined
    this.#events = []
    this.#size = 0
    this.#wake()
  }

  /** Only to be called while somebody watches. */
  add(event: LiveEvent): void {
    this.#events.push(event)
    this.#size += sizeOf(event)
    this.#sequence++
    while (this.#events.length > this.#mostEvents || this.#size > this.#mostSize) {
      this.#size -= sizeOf(this.#events.shift() as LiveEvent)
    }
    this.#wake()
  }

  /** The events after this number; waits a while for the first one. */
  async after(sequence: number): Promise<LiveEvents> {
    this.watch()
    if (sequence >= this.#sequence) {
      const timer = Promise.withResolvers<void>()
      const timeout = setTimeout(timer.resolve, this.#waitMs)
      await Promise.race([this.#waiting.promise, timer.promise])
      clearTimeout(timeout)
    }
    const first = this.#sequence - this.#events.length + 1
    return {
      sequence: this.#sequence,
      events: this.#events.slice(Math.max(0, sequence + 1 - first)),
      dropped: Math.max(0, first - sequence - 1),
    }
  }

  #wake(): void {
    this.#waiting.resolve()
    this.#waiting = Promise.withResolvers<void>()
  }
}

const sizeOf = (event: LiveEvent): number => 500 + (event.event === 'log' ? event.message.length : 0)
