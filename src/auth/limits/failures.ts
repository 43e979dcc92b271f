/**
 * Decides how a failed authentication is answered (401, or 429 once the burst is used up) and whether it gets a log line of its
 * own. It is called only after the credential was checked and failed, so that a valid credential is never refused because of
 * other callers of the same address.
 *
 * Failures are counted per address, and per credential for attempts from many addresses. The first failure of an address in a
 * minute is reported at once; the others are reported together when the minute is over.
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
  /** A name from {@link addressGroup}. */
  readonly address: string
  /** Identifies the credential without containing all of it; undefined when none was sent. */
  readonly credential: string | undefined
  readonly routes: RouteFamily
}

type FailureVerdict = {
  /** 0: the answer is 401. Above 0: the burst is used up, and the answer is 429. */
  readonly retryAfterSeconds: number
  /** True when a later summary reports it, so that it needs no log line of its own. */
  readonly inSummary: boolean
}

export type Failures = {
  readonly note: (failure: Failure) => FailureVerdict
  /** Reports the minutes that are over. To be called regularly. */
  readonly tellPast: () => void
  /** Reports the rest, at the end of the process. */
  readonly tellAll: () => void
}

export type FailureOptions = {
  /** Null: no failure is answered with 429. */
  readonly limit: RateLimit | null
  readonly observe: Observe
  /** The memory of another thread; by default new memory. */
  readonly memory?: SharedArrayBuffer | undefined
  /** Nanoseconds, not negative; all threads need the same clock. */
  readonly clock?: () => bigint
}

const WINDOW_SECONDS = 60
const WINDOW_NANOSECONDS = BigInt(WINDOW_SECONDS) * 1_000_000_000n

/** Most addresses that are reported one by one in a minute; one line reports the rest. */
export const MOST_TOLD_ADDRESSES = 100

/** An address whose first failure this thread has reported. */
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

  /** The thread that starts a new window of an address reports the rest of the window before. */
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
    // A row with another owner or window was reported by the thread that changed it.
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

/** The number of the window, never 0, which marks a new row. */
const windowAt = (now: bigint): bigint => now / WINDOW_NANOSECONDS + 1n

function neverWaiting(row: Row, now: bigint): number {
  Atomics.store(row, FULL, now)
  return 0
}

/** Takes a token from the bucket of a row. Returns 0, or the seconds to wait when the bucket is empty. */
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
