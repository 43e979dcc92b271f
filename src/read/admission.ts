/**
 * Which requests may compute now? An account's id enters; a slot leaves, or a place in the account's queue, or a refusal.
 * A computation more at the same time makes none of them faster, so that only so many run, of one account and of all. Who
 * finds no slot waits; slots that become free go round the accounts, so that a thousand requests of one account are in the way of
 * another's single request no more than one is. Knows neither HTTP nor timers: the event loop is handed in.
 */

export type AdmissionLimits = {
  /** Computations at the same time on this thread, of all accounts together. */
  readonly running: number
  /** Computations at the same time of one account. */
  readonly runningOfOne: number
  /** Requests of one account that wait for a slot. */
  readonly waitingOfOne: number
  /** How long one of them may wait. */
  readonly waitMs: number
  /** Delay of the event loop beyond which accounts that are being served get no more; twice of it, and nobody does. 0: any. */
  readonly lateMs: number
}

/** What it takes to know the load, and to let others run. */
export type EventLoop = {
  /** Milliseconds; never goes back. */
  readonly clock: () => number
  /** Milliseconds by which it has been late for a while. */
  readonly delayMs: () => number
  /** Calls back after everything else that is due had its turn. */
  readonly nextTurn: (callback: () => void) => void
}

/** `account`: it uses all of its share. `queue`: others use the slots that it waited for. `late`: the thread is overloaded. */
export type RefusalReason = 'account' | 'queue' | 'late'

export type Refusal = {
  readonly reason: RefusalReason
  /** At least 1. */
  readonly retryAfterSeconds: number
  /** How long to wait before the caller is told. */
  readonly heldMs: number
}

/** A request that waits for a slot. */
export type Place = {
  /** Gives the place back; without effect once it became a slot. */
  readonly leave: () => void
  /** The same, with what to tell the caller. */
  readonly giveUp: () => Refusal
}

export type AdmissionCounts = {
  readonly running: number
  readonly waiting: number
  /** Since the start, by reason. */
  readonly refused: Readonly<Record<RefusalReason, number>>
}

/**
 * A refusal costs about a tenth of a millisecond, and callers that do not wait as they are told come back at once. The
 * refusals of an account therefore leave at this pace, the first one immediately: whoever asks over a thousand connections
 * waits four seconds for each of them, and takes no more than a fortieth of the thread.
 */
const REFUSAL_EVERY_MS = 4

/**
 * How long one turn of the event loop may be held by requests that waited and are short. Without it a queue of short ones
 * would be worked off at one go, since the end of each begins the next.
 */
const SERVED_PER_TURN_MS = 1

/** No refusal is held longer than that. */
const MOST_HELD_MS = 4000

const MOST_RETRY_SECONDS = 30

/** How much of the average time between two computations the last one is. */
const NEWEST_WEIGHT = 0.2

type Account = {
  running: number
  /** Answers that are being sent as their readers take them. */
  streams: number
  /** Who is told of its slot, the longest waiting one first. */
  readonly waiting: Set<(slot: Slot) => void>
  /** Average milliseconds between two computations that ended while others waited. */
  intervalMs: number
  /** When the last of them ended; NaN when nobody waited then. */
  lastEndMs: number
  /** When the next refusal may leave. */
  nextRefusalMs: number
}

export class Admission {
  readonly limits: AdmissionLimits
  readonly #loop: EventLoop
  /** There are as many as accounts exist. */
  readonly #accounts = new Map<string, Account>()
  /** Accounts that have requests waiting, the one whose turn comes next first. */
  readonly #turns = new Set<Account>()
  #running = 0
  #waiting = 0
  /** Until then waiting requests may be served in this turn of the event loop. */
  #serveUntilMs = 0
  #isTurnDue = false
  readonly #refused = { account: 0, queue: 0, late: 0 }

  constructor(limits: AdmissionLimits, loop: EventLoop) {
    this.limits = limits
    this.#loop = loop
  }

  get counts(): AdmissionCounts {
    return { running: this.#running, waiting: this.#waiting, refused: { ...this.#refused } }
  }

  /** A slot if there is one right now. */
  enter(accountId: string): Slot | null {
    const account = this.#accountOf(accountId)
    if (account.waiting.size > 0 || !this.#hasRoom(account) || this.#isLateFor(account)) return null
    return this.#start(account)
  }

  /** For a request that is not understood yet: why it would find neither a slot nor a place; null if it finds one. */
  refusalNow(accountId: string): Refusal | null {
    const account = this.#accountOf(accountId)
    if (this.#isLateFor(account)) return this.#refuse(account, 'late')
    if (account.waiting.size < this.limits.waitingOfOne) return null
    if (account.waiting.size === 0 && this.#hasRoom(account)) return null
    return this.#refuse(account, this.#obstacleOf(account))
  }

  /** For who found no slot: `admit` is called with one later, unless the place is given back before. */
  queue(accountId: string, admit: (slot: Slot) => void): Place | Refusal {
    const account = this.#accountOf(accountId)
    if (this.#isLateFor(account)) return this.#refuse(account, 'late')
    if (account.waiting.size >= this.limits.waitingOfOne)
      return this.#refuse(account, this.#obstacleOf(account))
    // Callers may hand in the same function twice, and a set would hold it once.
    const waiting = (slot: Slot) => admit(slot)
    account.waiting.add(waiting)
    this.#turns.add(account)
    this.#waiting++
    const leave = () => {
      if (!account.waiting.delete(waiting)) return
      this.#waiting--
      if (account.waiting.size === 0) this.#turns.delete(account)
    }
    const giveUp = () => {
      leave()
      return this.#refuse(account, this.#obstacleOf(account))
    }
    return { leave, giveUp }
  }

  #accountOf(accountId: string): Account {
    let account = this.#accounts.get(accountId)
    if (account === undefined) {
      account = {
        running: 0,
        streams: 0,
        waiting: new Set(),
        intervalMs: 0,
        lastEndMs: Number.NaN,
        nextRefusalMs: 0,
      }
      this.#accounts.set(accountId, account)
    }
    return account
  }

  #hasRoom({ running }: Account): boolean {
    return this.#running < this.limits.running && running < this.limits.runningOfOne
  }

  #isLateFor({ running, streams, waiting }: Account): boolean {
    const { lateMs } = this.limits
    if (lateMs === 0) return false
    const delayMs = this.#loop.delayMs()
    if (delayMs <= lateMs) return false
    return delayMs > 2 * lateMs || running + streams + waiting.size > 0
  }

  #obstacleOf({ running }: Account): RefusalReason {
    const others = this.#running >= this.limits.running && running < this.limits.runningOfOne
    return others ? 'queue' : 'account'
  }

  #start(account: Account): Slot {
    this.#running++
    account.running++
    return new Slot(account, () => this.#ended(account))
  }

  #ended(account: Account): void {
    this.#running--
    account.running--
    this.#learnPace(account)
    if (this.#waiting === 0) return
    if (this.#loop.clock() < this.#serveUntilMs) this.#serve()
    else this.#serveNextTurn()
  }

  #serveNextTurn(): void {
    if (this.#isTurnDue) return
    this.#isTurnDue = true
    this.#loop.nextTurn(() => {
      this.#isTurnDue = false
      this.#serveUntilMs = this.#loop.clock() + SERVED_PER_TURN_MS
      this.#serve()
    })
  }

  /** Needed for Retry-After only, so that accounts of which nobody waits do not pay for it. */
  #learnPace(account: Account): void {
    if (account.waiting.size === 0) {
      account.lastEndMs = Number.NaN
      return
    }
    const now = this.#loop.clock()
    const interval = now - account.lastEndMs
    account.lastEndMs = now
    if (Number.isNaN(interval)) return
    account.intervalMs += (interval - account.intervalMs) * (account.intervalMs === 0 ? 1 : NEWEST_WEIGHT)
  }

  /** An account that was served goes to the end of the row, where this loop meets it again. */
  #serve(): void {
    for (const account of this.#turns) {
      if (this.#running >= this.limits.running) return
      if (!this.#hasRoom(account)) continue
      const [longestWaiting] = account.waiting
      if (longestWaiting === undefined) continue
      account.waiting.delete(longestWaiting)
      this.#waiting--
      this.#turns.delete(account)
      if (account.waiting.size > 0) this.#turns.add(account)
      longestWaiting(this.#start(account))
    }
  }

  #refuse(account: Account, reason: RefusalReason): Refusal {
    this.#refused[reason]++
    const now = this.#loop.clock()
    const at = Math.min(Math.max(now, account.nextRefusalMs), now + MOST_HELD_MS)
    account.nextRefusalMs = at + REFUSAL_EVERY_MS
    const untilServedMs = (account.waiting.size + 1) * account.intervalMs
    const seconds = Math.ceil(Math.max(untilServedMs, this.#loop.delayMs()) / 1000)
    return {
      reason,
      retryAfterSeconds: Math.min(Math.max(1, seconds), MOST_RETRY_SECONDS),
      heldMs: at - now,
    }
  }
}

/** The right to compute, until the answer is worked out. */
export class Slot {
  readonly #account: Account
  readonly #ended: () => void
  #isHeld = true

  constructor(account: Account, ended: () => void) {
    this.#account = account
    this.#ended = ended
  }

  /** Another one may compute. Without effect when the slot was given back before. */
  release(): void {
    if (!this.#isHeld) return
    this.#isHeld = false
    this.#ended()
  }

  /**
   * Gives the slot back, because what remains to do goes at the pace of a reader. The account counts as being served until
   * what is returned is called.
   */
  stream(): () => void {
    this.release()
    this.#account.streams++
    let isOpen = true
    return () => {
      if (isOpen) this.#account.streams--
      isOpen = false
    }
  }
}
