/**
 * Decides which requests may compute now: each gets a slot, a place in the queue of its account, or a refusal. The number of
 * computations is limited per account and in total, because more at the same time do not make any of them faster. Slots that
 * become free go round the accounts, so a thousand waiting requests of one account delay a request of another account no more
 * than one would. Knows neither HTTP nor timers: the event loop is an argument.
 */

export type AdmissionLimits = {
  /** Computations at the same time on this thread, of all accounts together. */
  readonly running: number
  /** Computations at the same time of one account. */
  readonly runningOfOne: number
  /** Most requests of one account that may wait for a slot. */
  readonly waitingOfOne: number
  /** How long a request may wait. */
  readonly waitMs: number
  /** Delay of the event loop above which accounts in service get no more; above twice the delay no account does. 0: no limit. */
  readonly lateMs: number
}

/** What admission needs of the event loop. */
export type EventLoop = {
  /** Milliseconds; never goes back. */
  readonly clock: () => number
  /** Lasting delay in milliseconds. */
  readonly delayMs: () => number
  /** Calls back after everything else that is due has run. */
  readonly nextTurn: (callback: () => void) => void
}

/** `account`: the account uses all of its share. `queue`: other accounts use the slots. `late`: the thread is overloaded. */
export type RefusalReason = 'account' | 'queue' | 'late'

export type Refusal = {
  readonly reason: RefusalReason
  /** At least 1. */
  readonly retryAfterSeconds: number
  /** How long to wait before the refusal is sent. */
  readonly heldMs: number
}

/** A request that waits for a slot. */
export type Place = {
  /** Releases the place; without effect once it became a slot. */
  readonly leave: () => void
  /** Releases the place and returns the refusal for the caller. */
  readonly giveUp: () => Refusal
}

export type AdmissionCounts = {
  readonly running: number
  readonly waiting: number
  /** Since the start, by reason. */
  readonly refused: Readonly<Record<RefusalReason, number>>
}

/**
 * A refusal costs about a tenth of a millisecond, and callers that ignore Retry-After come back at once. The refusals of an
 * account are therefore sent at this pace, the first one immediately: a caller with a thousand connections waits four seconds
 * for each refusal, and uses at most a fortieth of the thread.
 */
const REFUSAL_EVERY_MS = 4

/**
 * How long short requests from the queue may hold one turn of the event loop. Without this limit a whole queue of short
 * requests would run in one turn, because the end of each starts the next.
 */
const SERVED_PER_TURN_MS = 1

/** The longest delay of a refusal. */
const MOST_HELD_MS = 4000

const MOST_RETRY_SECONDS = 30

/** Weight of the newest value in the average time between two computations. */
const NEWEST_WEIGHT = 0.2

type Account = {
  running: number
  /** Answers that are being sent at the pace of their readers. */
  streams: number
  /** Callbacks of waiting requests, which get the slot; the longest waiting one first. */
  readonly waiting: Set<(slot: Slot) => void>
  /** Average milliseconds between two computations that ended while others waited. */
  intervalMs: number
  /** When the last of them ended; NaN when no request waited then. */
  lastEndMs: number
  /** When the next refusal may be sent. */
  nextRefusalMs: number
}

export class Admission {
  readonly limits: AdmissionLimits
  readonly #loop: EventLoop
  /** Never shrinks: the number of accounts bounds it. */
  readonly #accounts = new Map<string, Account>()
  /** Accounts with waiting requests; the one whose turn is next comes first. */
  readonly #turns = new Set<Account>()
  #running = 0
  #waiting = 0
  /** Until this time waiting requests may be served in this turn of the event loop. */
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

  /** A slot, or null when none is free now. */
  enter(accountId: string): Slot | null {
    const account = this.#accountOf(accountId)
    if (account.waiting.size > 0 || !this.#hasRoom(account) || this.#isLateFor(account)) return null
    return this.#start(account)
  }

  /** For a request that is not parsed yet: the refusal if there is neither a slot nor a place for it, else null. */
  refusalNow(accountId: string): Refusal | null {
    const account = this.#accountOf(accountId)
    if (this.#isLateFor(account)) return this.#refuse(account, 'late')
    if (account.waiting.size < this.limits.waitingOfOne) return null
    if (account.waiting.size === 0 && this.#hasRoom(account)) return null
    return this.#refuse(account, this.#obstacleOf(account))
  }

  /** For a request that got no slot: `admit` is called with one later, unless the place is released before. */
  queue(accountId: string, admit: (slot: Slot) => void): Place | Refusal {
    const account = this.#accountOf(accountId)
    if (this.#isLateFor(account)) return this.#refuse(account, 'late')
    if (account.waiting.size >= this.limits.waitingOfOne)
      return this.#refuse(account, this.#obstacleOf(account))
    // Wrapped, because a set would hold the same function only once.
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

  /** Needed only for Retry-After, so it is skipped for accounts without waiting requests. */
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

  /** An account that was served goes to the end of the set, where this loop visits it again. */
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

/** The right to compute, until the answer is computed. */
export class Slot {
  readonly #account: Account
  readonly #ended: () => void
  #isHeld = true

  constructor(account: Account, ended: () => void) {
    this.#account = account
    this.#ended = ended
  }

  /** Frees the slot for another request. Without effect when it was released before. */
  release(): void {
    if (!this.#isHeld) return
    this.#isHeld = false
    this.#ended()
  }

  /**
   * Releases the slot, because the rest of the answer is sent at the pace of its reader.
   * @returns a function to call when the answer is sent; until then the account counts as being served
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
