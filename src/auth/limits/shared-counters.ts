/**
 * Two numbers for each account, in memory that threads share. An account's id enters, its numbers leave: the same ones in
 * every thread. Refuses an id that is no UUID. An account keeps its place for as long as the memory lives.
 */

/** To be read and written with Atomics only. Zeros for an account that nobody has asked for yet. */
export type Counters = BigInt64Array

/** Two for the id, two for the counters. */
const WORDS_PER_ACCOUNT = 4

export const bytesForAccounts = (accounts: number): number => accounts * WORDS_PER_ACCOUNT * 8

/**
 * An account that finds the memory full gets counters that this thread alone knows. Each thread then counts it for itself:
 * it is still limited, at worst as many times as high, and nobody else notices.
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

/** Places are never given back, so threads that walk the same way from the same start meet at the same place. */
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
 * Whether the word is ours, now or already. A place whose first half is ours and whose second half another thread was
 * faster to fill belongs to an account with the same first half.
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
