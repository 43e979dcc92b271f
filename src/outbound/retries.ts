/** When a request of a script is sent again: soon at first, then ever later, and never sooner than its receiver asks for. */

const FIRST_DELAY_MS = 200
const LONGEST_DELAY_MS = 10_000

/** Answers that another attempt may change (RFC 9110, section 15; RFC 6585, section 4). */
const PASSING: ReadonlySet<number> = new Set([408, 429, 502, 503, 504])

export const isPassingStatus = (status: number): boolean => PASSING.has(status)

/** Sending these twice does what sending them once does (RFC 9110, section 9.2.2). */
const IDEMPOTENT: ReadonlySet<string> = new Set(['GET', 'HEAD', 'PUT', 'DELETE'])

/** Whether a request may be sent again when nobody knows whether it was carried out. */
export const isRepeatable = (method: string, headers: Readonly<Record<string, string>>): boolean =>
  IDEMPOTENT.has(method) || headers['idempotency-key'] !== undefined

/**
 * @param attempts how many there were, from 1
 * @param wishSeconds the `Retry-After` of the receiver
 * @param random from 0 up to 1: requests that failed together do not return together
 */
export function retryDelayMs(attempts: number, wishSeconds: number, random: number): number {
  const longest = Math.min(FIRST_DELAY_MS * 2 ** (attempts - 1), LONGEST_DELAY_MS)
  return Math.max((longest / 2) * (1 + random), wishSeconds * 1000)
}

/** The seconds of a `Retry-After` (RFC 9110, section 10.2.3), which is a number or a date; 0 for anything else. */
export function retryAfterSeconds(header: string | undefined, now: Date): number {
  if (header === undefined) return 0
  if (/^\d{1,9}$/.test(header.trim())) return Number(header)
  const date = Date.parse(header)
  return Number.isNaN(date) ? 0 : Math.max(0, (date - now.getTime()) / 1000)
}
