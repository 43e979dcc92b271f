/**
 * Limits requests without a credential by the address of their caller. Each thread counts for itself. Addresses beyond the most
 * that are remembered begin with a full bucket again: memory stays bounded, whoever calls.
 */
import { LRUCache } from 'lru-cache'
import { type RateLimit, tokenBucket } from './token-bucket.ts'

const MOST_ADDRESSES = 10_000

/** Returns the whole seconds after which a refused request will be admitted, at least 1; 0 for an admitted one. */
export type AddressLimit = (address: string) => number

export function createAddressLimit(
  limit: RateLimit,
  clock: () => bigint = process.hrtime.bigint,
): AddressLimit {
  const bucket = tokenBucket(limit)
  const fullAt = new LRUCache<string, bigint>({ max: MOST_ADDRESSES })
  return (address) => {
    const now = bucket.moment(clock())
    const full = fullAt.get(address) ?? 0n
    if (!bucket.admits(full, now)) return Math.max(1, bucket.secondsUntilAdmitted(full, now))
    fullAt.set(address, bucket.afterRequest(full, now))
    return 0
  }
}
