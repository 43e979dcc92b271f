/**
 * Counts calls by name (endpoint and caller), each name against a limit of its own, in memory of a fixed size that threads may
 * share. A new name replaces the one that has been idle for longest, so that callers without an account cannot fill the memory.
 */
import { createFailureMemory, FULL, openFailureTable } from './failure-table.ts'
import { type TokenBucket, tokenBucket } from './token-bucket.ts'

type CallLimit = {
  /** Also all at once. */
  readonly calls: number
  readonly seconds: number
}

export type CallRates = {
  readonly take: (
    name: string,
    limit: CallLimit,
  ) => {
    /** Calls that would be admitted now. */
    readonly remaining: number
    /** Whole seconds, rounded up, until all calls are available again. */
    readonly resetSeconds: number
    /** 0 for an admitted call. */
    readonly retryAfterSeconds: number
  }
}

export type CallRatesOptions = {
  /** The memory of another thread; by default new memory. */
  readonly memory?: SharedArrayBuffer | undefined
  /** Nanoseconds, not negative; all threads need the same clock. */
  readonly clock?: () => bigint
}

export function createCallRates({ memory, clock = process.hrtime.bigint }: CallRatesOptions = {}): CallRates {
  const buckets = new Map<string, TokenBucket>()
  // Most services have no endpoint with a limit.
  let table: ReturnType<typeof openFailureTable> | undefined
  const bucketOf = ({ calls, seconds }: CallLimit): TokenBucket => {
    const key = `${calls}/${seconds}`
    const known = buckets.get(key)
    if (known !== undefined) return known
    // Rounded up to thousandths: whoever calls exactly as often as allowed is never refused.
    const bucket = tokenBucket({ rate: Math.ceil((calls * 1000) / seconds) / 1000, burst: calls })
    buckets.set(key, bucket)
    return bucket
  }
  return {
    take: (name, limit) => {
      table ??= openFailureTable(memory ?? createFailureMemory())
      const bucket = bucketOf(limit)
      const row = table.rowOf(`${limit.calls}/${limit.seconds} ${name}`)
      const now = bucket.moment(clock())
      for (;;) {
        const fullAt = Atomics.load(row, FULL)
        const isAdmitted = bucket.admits(fullAt, now)
        const next = isAdmitted ? bucket.afterRequest(fullAt, now) : fullAt
        // Another thread may have counted in between; then try again.
        if (isAdmitted && Atomics.compareExchange(row, FULL, fullAt, next) !== fullAt) continue
        return {
          remaining: bucket.tokens(next, now),
          resetSeconds: bucket.secondsUntilFull(next, now),
          retryAfterSeconds: isAdmitted ? 0 : Math.max(1, bucket.secondsUntilAdmitted(next, now)),
        }
      }
    },
  }
}
