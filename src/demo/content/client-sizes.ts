/**
 * Decides how many bookings each client has. Real customer lists are skewed: a few clients have most of the bookings, most
 * are small, some have none.
 */

/** The share of the client with rank r is proportional to 1 / (r + 1)^SKEW. */
const SKEW = 0.71
const LEAST_SHARE_OF_LARGEST = 0.1
const CLIENTS_FOR_AN_EMPTY_ONE = 5
const EMPTY_SHARE = 0.02

/**
 * Sizes by rank, largest first; they add up to the bookings. The largest client has at least a tenth of them, and among five
 * or more clients at least one has none.
 */
export function sizesByRank(clients: number, bookings: number): Uint32Array {
  const sizes = new Uint32Array(clients)
  const empty = clients < CLIENTS_FOR_AN_EMPTY_ONE ? 0 : Math.max(1, Math.floor(clients * EMPTY_SHARE))
  const trading = clients - empty
  const weights = Array.from({ length: trading }, (_, rank) => (rank + 1) ** -SKEW)
  const largestShare = Math.max(LEAST_SHARE_OF_LARGEST, 1 / sum(weights))
  sizes[0] = trading === 1 ? bookings : Math.ceil(bookings * largestShare)
  shareOut(bookings - sizes[0], weights.slice(1), sizes.subarray(1, trading))
  return sizes
}

/** Rounds the running total, not each share: so nothing is left over, and no size exceeds the one before by more than one. */
function shareOut(bookings: number, weights: readonly number[], sizes: Uint32Array): void {
  const total = sum(weights)
  let cumulated = 0
  let given = 0
  for (const [rank, weight] of weights.entries()) {
    cumulated += weight
    const due = rank === weights.length - 1 ? bookings : Math.ceil((bookings * cumulated) / total - 1e-9)
    sizes[rank] = due - given
    given = due
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)
