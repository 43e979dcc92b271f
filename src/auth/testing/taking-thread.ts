/**
 * A thread for the test of the limiter: waits until all threads run, sends requests for every account in turn, many times, and
 * returns the decisions. Each thread begins at another account. The clock is a number in shared memory.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { createRateLimiter } from '../limits/rate-limiter.ts'
import type { RateLimit } from '../limits/token-bucket.ts'

export type TakingThreadData = {
  readonly limit: RateLimit
  readonly memory: SharedArrayBuffer
  /** One BigInt64: nanoseconds. Every request advances it by `step`. */
  readonly clock: SharedArrayBuffer
  readonly step: bigint
  /** One Int32: how many of `threads` do not run yet. */
  readonly missing: SharedArrayBuffer
  readonly threads: number
  readonly accountIds: readonly string[]
  readonly rounds: number
}

/** The decisions for each account, in the order of the ids. */
export type TakingThreadAnswers = readonly {
  readonly admitted: number
  readonly promised: readonly number[]
}[]

const data: TakingThreadData = workerData
const nanoseconds = new BigInt64Array(data.clock)
const limiter = createRateLimiter(data.limit, {
  memory: data.memory,
  clock: () => Atomics.add(nanoseconds, 0, data.step),
})
const answers = data.accountIds.map(() => ({ admitted: 0, promised: [] as number[] }))
const missing = new Int32Array(data.missing)
const place = Atomics.sub(missing, 0, 1)
if (place === 1) Atomics.notify(missing, 0)
for (let left: number; (left = Atomics.load(missing, 0)) > 0; ) Atomics.wait(missing, 0, left)
const accounts = data.accountIds.length
const first = Math.floor((place / data.threads) * accounts)
for (let question = 0; question < data.rounds * accounts; question++) {
  const account = (first + question) % accounts
  const answer = answers[account] as (typeof answers)[number]
  const decision = limiter?.take(data.accountIds[account] as string)
  if (decision?.allowed) answer.admitted++
  else answer.promised.push(decision?.retryAfterSeconds as number)
}
parentPort?.postMessage(answers satisfies TakingThreadAnswers)
