/**
 * Ids of runs: UUIDs that sort by time (version 7; RFC 9562, section 5.7), so that the index of the history grows at its end
 * instead of everywhere.
 */
import { randomBytes } from 'node:crypto'

const RANDOM_IDS = 256
const RANDOM_BYTES = 10

/** Asking for random bytes costs about the same for few and for many. */
let pool = Buffer.alloc(0)
let used = 0

/** @param now milliseconds since 1970 */
export function newExecutionId(now: number): string {
  if (used === pool.length) {
    pool = randomBytes(RANDOM_IDS * RANDOM_BYTES)
    used = 0
  }
  const random = pool.subarray(used, used + RANDOM_BYTES)
  used += RANDOM_BYTES
  random[0] = ((random[0] as number) & 0x0f) | 0x70
  random[2] = ((random[2] as number) & 0x3f) | 0x80
  const hex = now.toString(16).padStart(12, '0') + random.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
