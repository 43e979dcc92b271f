/**
 * Shares the event loop of a thread among its runs. Long work is done in slices, and after each slice the loop turns, so that
 * timers, messages and new runs get their time. One waiting slice continues in each turn: if all of them did, the turn would
 * be as long as all together.
 *
 * Owners (endpoints) share the thread by the time that they have held it, not by how many runs they have: deficit round robin.
 * An owner whose slices are short has many of them in the time in which another owner has one. Slices of one owner continue in
 * the order in which they asked. While several owners work in the thread, slices are shorter: the callers of a short run then
 * wait for half a millisecond of another endpoint, while a thread with one owner does not pay for turns that nobody needs.
 */
import { DeficitRoundRobin } from './scheduling/deficit-round-robin.ts'

/** How long one slice may hold the thread. */
export const SLICE_MS = 5

/** How long one slice may hold the thread when other owners use it too. */
export const SHARED_SLICE_MS = 0.5

/** How long an owner may hold the thread in one round. */
const QUANTUM_MS = 1

/** An owner counts as using the thread for this long after it has held it. */
const SHARED_FOR_MS = 100

/** Timers, such as the one that reports the thread alive, should not be later than this. */
const LONG_MS = 50

type Clock = {
  /** Milliseconds that only grow. */
  readonly now: () => number
  /** Calls back when the event loop has turned. */
  readonly afterTurn: (callback: () => void) => void
}

export class Turns {
  readonly #clock: Clock
  /** Milliseconds that slices have taken since the event loop turned. */
  #held = 0
  /** Whether a slice that had waited for its turn took them. */
  #byWaiting = false
  #isTurning = false
  readonly #waiting = new DeficitRoundRobin<() => void>({
    quantum: QUANTUM_MS,
    // Work that is not measured, such as the rest of a slice after a wait, must not keep its owner first for ever.
    leastCost: QUANTUM_MS / 20,
    mostDebt: 50 * QUANTUM_MS,
  })
  #first: (() => void)[] = []
  /** Who held the thread last, and when; then the last other owner. */
  #last = { owner: '', at: Number.NEGATIVE_INFINITY }
  #lastOther = { owner: '', at: Number.NEGATIVE_INFINITY }

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Resolves when the event loop has turned and it is this slice's turn. */
  readonly turn = (owner = ''): Promise<void> =>
    new Promise((resolve) => {
      this.#waiting.add(owner, resolve)
      this.#expectTurn()
    })

  /** Calls back when the event loop has turned, before a slice continues: an answer that is ready does not wait for one. */
  readonly beforeSlices = (callback: () => void): void => {
    this.#first.push(callback)
    this.#expectTurn()
  }

  /** How long a slice of this owner may hold the thread. Work without an owner, such as writing records, is work of all. */
  readonly sliceMs = (owner = ''): number => {
    const { at } = owner === '' || this.#last.owner === owner ? this.#lastOther : this.#last
    return this.#clock.now() - at < SHARED_FOR_MS ? SHARED_SLICE_MS : SLICE_MS
  }

  /** Whether the event loop should turn before more work is done for this owner. */
  readonly isTurnDue = (owner = ''): boolean =>
    this.#held >= SHARED_SLICE_MS && this.#held >= this.sliceMs(owner)

  /**
   * Counts work that has held the thread.
   *
   * @param began its start by `performance.now()`
   * @param chargedMs how much of it the owner pays for, if not all
   */
  readonly heldSince = (began: number, owner = '', chargedMs?: number): void => {
    const now = this.#clock.now()
    this.#held += now - began
    this.#waiting.charge(owner, chargedMs ?? now - began)
    if (owner !== '') this.#note(owner, now)
    if (this.isTurnDue(owner)) this.#expectTurn()
  }

  /** To be called when a message has just arrived: the event loop has turned since the last slice that waited for its turn. */
  readonly arrived = (): void => {
    if (!this.#byWaiting) return
    this.#held = 0
    this.#byWaiting = false
  }

  #note(owner: string, at: number): void {
    if (this.#last.owner === owner) {
      this.#last.at = at
      return
    }
    const other = this.#lastOther
    this.#lastOther = this.#last
    other.owner = owner
    other.at = at
    this.#last = other
  }

  #expectTurn(): void {
    if (this.#isTurning) return
    this.#isTurning = true
    this.#clock.afterTurn(this.#turned)
  }

  readonly #turned = (): void => {
    this.#isTurning = false
    const first = this.#first
    this.#first = []
    for (const callback of first) callback()
    const wasLong = this.#held >= LONG_MS
    this.#held = 0
    if (wasLong) {
      // The work that held the thread may have run just before this, in the same turn: timers have not run yet.
      this.#byWaiting = false
      this.#expectTurn()
      return
    }
    const next = this.#waiting.next()
    this.#byWaiting = next !== undefined
    next?.()
    if (!this.#waiting.isEmpty) this.#expectTurn()
  }
}

/** The turns of this thread. */
export const { turn, beforeSlices, sliceMs, isTurnDue, heldSince, arrived } = new Turns({
  now: () => performance.now(),
  afterTurn: (callback) => void setImmediate(callback),
})
