/** When a delivery that failed is sent again: soon at first, then ever later, for three days. */

const MINUTE = 60
const HOUR = 60 * MINUTE

/** Seconds from one attempt to the next; together a little more than three days, so that the last failure pauses a webhook that never succeeded. */
const DELAYS = [
  5,
  MINUTE,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  21 * HOUR,
] as const

/** A webhook that has failed for so long is paused. */
export const PAUSE_AFTER_MS = 3 * 24 * HOUR * 1000

/** The share by which a delay is longer at most, so that deliveries that failed together do not return together. */
const JITTER = 0.1

const LONGEST_WISH_SECONDS = 24 * HOUR

/**
 * @param attempts how many there were
 * @param wishSeconds the `Retry-After` of the receiver; longer than the usual delay it counts, up to a day
 * @param random from 0 up to 1
 * @returns null when there are no more attempts
 */
export function nextAttempt(
  attempts: number,
  { now, wishSeconds = 0, random }: { now: Date; wishSeconds?: number; random: number },
): Date | null {
  const delay = DELAYS[attempts - 1]
  if (delay === undefined) return null
  const usual = delay * (1 + JITTER * random)
  const seconds = Math.max(usual, Math.min(wishSeconds, LONGEST_WISH_SECONDS))
  return new Date(now.getTime() + seconds * 1000)
}
