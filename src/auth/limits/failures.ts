/**
 * What becomes of a caller who is not authenticated: who it was enters, how to answer leaves (401, or 429 once the burst is
 * used up) and whether this failure is told by itself. Only failures come here, after the credential was looked at, so that
 * nobody with a good credential is ever refused for what others do from the same address.
 *
 * Failures are counted per address, and per credential, which catches what comes from many addresses. Each address's first
 * failure of a minute is told; the others are told together when the minute is over.
 */
import type { Observe } from '../../observe/observation.ts'
import { type RouteFamily, routeFamilies } from '../../observe/route-family.ts'
import {
  COUNTS,
  CURRENT_WINDOW,
  createFailureMemory,
  FULL,
  LIMITED,
  LINES,
  OTHER_ADDRESSES,
  OTHER_FAILURES,
  OWNER,
  openFailureTable,
  type Row,
  takeCounts,
  WINDOW,
} from './failure-table.ts'
import { type RateLimit, tokenBucket } from './token-bucket.ts'

export type Failure = {
  readonly requestId: string
  /** As {@link addressGroup} names it. */
  readonly address: string
  /** What tells one credential from others, and is less than the credential; undefined where none was sent. */
  readonly credential: string | undefined
  readonly routes: RouteFamily
}

type FailureVerdict = {
  /** 0: there is room in the burst, and the answer is that the credential is not good. */
  readonly retryAfterSeconds: number
  /** It is told with others later on, and needs no line of its own. */
  readonly inSummary: boolean
}

export type Failures = {
  readonly note: (failure: Failure) => FailureVerdict
  /** Tells what is to be told of minutes that are over. To be called now and then. */
  readonly tellPast: () => void
  /** Tells what is left, before the end. */
  readonly tellAll: () => void
}

export type FailureOptions = {
  /** Null: nobody is answered with 429. */
  readonly limit: RateLimit | null
  readonly observe: Observe
  /** Of another thread's, or new. */
  readonly memory?: SharedArrayBuffer | undefined
  /** Nanoseconds, not negative, the same in every thread. */
  readonly clock?: () => bigint
}

const WINDOW_SECONDS = 60
const WINDOW_NANOSECONDS = BigInt(WINDOW_SECONDS) * 1_000_000_000n

/** Addresses that are told by themselves in a minute; those beyond are told in one line together. */
export const MOST_TOLD_ADDRESSES = 100

/** An address whose first failure this thread has told. */
type Told = { readonly row: Row; readonly owner: bigint; readonly address: string; readonly window: bigint }

export function createFailures({
  limit,
  observe,
  memory = createFailureMemory(),
  clock = process.hrtime.bigint,
}: FailureOptions): Failures {
  const { head, rowOf } = openFailureTable(memory)
  const waitOf = limit === null ? neverWaiting : waiting(limit)
  let told: Told[] = []
  let hasOthers = false

  const note = ({ requestId, address, credential, routes }: Failure): FailureVerdict => {
    const now = clock()
    const row = rowOf(`address ${address}`)
    const ofAddress = waitOf(row, now)
    const ofCredential = credential === undefined ? 0 : waitOf(rowOf(`credential ${credential}`), now)
    const retryAfterSeconds = Math.max(ofAddress, ofCredential)
    const isTold = isFirstTold(row, address, windowAt(now))
    if (isTold) observe({ kind: 'authentication-failed', requestId, address, routes })
    else count(row, routes, retryAfterSeconds > 0)
    return { retryAfterSeconds, inSummary: !isTold }
  }

  /** Whoever moves the window of an address on tells what is left of the one before. */
  function isFirstTold(row: Row, address: string, window: bigint): boolean {
    const before = Atomics.load(row, WINDOW)
    if (before >> 1n >= window) return false
    const hasLine = takeLine(window)
    const next = (window << 1n) | (hasLine ? 1n : 0n)
    if (Atomics.compareExchange(row, WINDOW, before, next) !== before) return false
    tellRow(row, address)
    if (hasLine) told.push({ row, owner: Atomics.load(row, OWNER), address, window })
    else Atomics.add(head, OTHER_ADDRESSES, 1n)
    return hasLine
  }

  function takeLine(window: bigint): boolean {
    const before = Atomics.load(head, CURRENT_WINDOW)
    if (before < window && Atomics.compareExchange(head, CURRENT_WINDOW, before, window) === before) {
      Atomics.store(head, LINES, 0n)
      tellOthers()
    }
    return Atomics.add(head, LINES, 1n) < BigInt(MOST_TOLD_ADDRESSES)
  }

  function count(row: Row, routes: RouteFamily, isLimited: boolean): void {
    if ((Atomics.load(row, WINDOW) & 1n) === 0n) {
      Atomics.add(head, OTHER_FAILURES, 1n)
      hasOthers = true
      return
    }
    Atomics.add(row, COUNTS + routeFamilies.indexOf(routes), 1n)
    if (isLimited) Atomics.add(row, LIMITED, 1n)
  }

  function tellRow(row: Row, address: string): void {
    const { byFamily, total, limited } = takeCounts(row)
    if (total === 0) return
    const routes = routeFamilies.filter((_, at) => (byFamily[at] ?? 0) > 0)
    observe({ kind: 'authentication-failures', address, addresses: 1, failures: total, limited, routes })
  }

  function tellOthers(): void {
    const addresses = Number(Atomics.exchange(head, OTHER_ADDRESSES, 0n))
    const failures = Number(Atomics.exchange(head, OTHER_FAILURES, 0n))
    if (failures === 0) return
    observe({
      kind: 'authentication-failures',
      address: null,
      addresses,
      failures,
      limited: null,
      routes: null,
    })
  }

  const tellUntil = (window: bigint) => {
    const past = told.filter((one) => one.window < window)
    told = told.filter((one) => one.window >= window)
    // A row that has another owner or another window by now was emptied by whoever changed that.
    for (const { row, owner, address, window: own } of past) {
      if (Atomics.load(row, OWNER) === owner && Atomics.load(row, WINDOW) >> 1n === own) tellRow(row, address)
    }
    if (hasOthers && Atomics.load(head, CURRENT_WINDOW) < window) {
      hasOthers = false
      tellOthers()
    }
  }

  return {
    note,
    tellPast: () => tellUntil(windowAt(clock())),
    tellAll: () => tellUntil(windowAt(clock()) + 1n),
  }
}

/** Never 0, which is the window of nobody. */
const windowAt = (now: bigint): bigint => now / WINDOW_NANOSECONDS + 1n

function neverWaiting(row: Row, now: bigint): number {
  Atomics.store(row, FULL, now)
  return 0
}

/** Takes a failure from the bucket of a row; the seconds to wait where there is none left. */
function waiting(limit: RateLimit) {
  const bucket = tokenBucket(limit)
  return (row: Row, nanoseconds: bigint): number => {
    const now = bucket.moment(nanoseconds)
    for (;;) {
      const fullAt = Atomics.load(row, FULL)
      if (!bucket.admits(fullAt, now)) return Math.max(1, bucket.secondsUntilAdmitted(fullAt, now))
      if (Atomics.compareExchange(row, FULL, fullAt, bucket.afterRequest(fullAt, now)) === fullAt) return 0
    }
  }
}
