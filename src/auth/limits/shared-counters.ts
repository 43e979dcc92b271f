/**
 * Finds two numbers for each account, by its id, in memory that threads share: the same ones in every thread. Refuses an id that
 * is not a UUID. An account keeps its place as long as the memory exists.
 */

/** Read and write them only with Atomics. Zeros for an account without earlier requests. */
export type Counters = BigInt64Array

/** Two words for the id, two for the counters. */
const WORDS_PER_ACCOUNT = 4

export const bytesForAccounts = (accounts: number): number => accounts * WORDS_PER_ACCOUNT * 8

/**
 * When the memory is full, a new account gets counters of this thread only. Each thread then counts it separately: its limit is
 * at most multiplied by the number of threads, and no other account is affected.
 */
export function openCounters(memory: SharedArrayBuffer): (accountId: string) => Counters {
  const words = new BigInt64Array(memory)
  const found = new Map<string, Counters>()
  return (accountId) => {
    let counters = found.get(accountId)
    if (counters === undefined) {
      const place = claimPlace(words, halvesOf(accountId))
      counters = place === null ? new BigInt64Array(2) : words.subarray(place + 2, place + 4)
      found.set(accountId, counters)
    }
    return counters
  }
}

type Halves = readonly [high: bigint, low: bigint]

/** Places are never released, so threads that search in the same order from the same start find the same place. */
function claimPlace(words: BigInt64Array, [high, low]: Halves): number | null {
  const places = Math.floor(words.length / WORDS_PER_ACCOUNT)
  const start = Number(BigInt.asUintN(32, low))
  for (let step = 0; step < places; step++) {
    const place = ((start + step) % places) * WORDS_PER_ACCOUNT
    if (claim(words, place, high) && claim(words, place + 1, low)) return place
  }
  return null
}

/**
 * Whether the word has this half now, or had it already. A place with our first half and another second half belongs to an
 * account with the same first half, which another thread stored first.
 */
function claim(words: BigInt64Array, at: number, half: bigint): boolean {
  const before = Atomics.compareExchange(words, at, 0n, half)
  return before === 0n || before === half
}

/** A zero marks a free place. No half is zero: one holds the version of the UUID, the other its variant (RFC 9562). */
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i

function halvesOf(accountId: string): Halves {
  if (!uuid.test(accountId)) throw new TypeError(`The id of an account is a UUID, not '${accountId}'`)
  const digits = accountId.replaceAll('-', '')
  return [digits.slice(0, 16), digits.slice(16)].map((half) => BigInt.asIntN(64, BigInt(`0x${half}`))) as [
    bigint,
    bigint,
  ]
}
