/** Days and moments of the question what changed. Days begin at midnight of the viewer's zone. */

/** Days before today that are offered. */
export const offeredDays = [1, 7, 30] as const

/** The day so many days before today, as `YYYY-MM-DD`. */
export function dayBefore(days: number, now = new Date()): string {
  const day = new Date(now.getFullYear(), now.getMonth(), now.getDate() - days)
  const parts = [day.getMonth() + 1, day.getDate()].map((part) => String(part).padStart(2, '0'))
  return [String(day.getFullYear()).padStart(4, '0'), ...parts].join('-')
}

/**
 * The beginning of a day as RFC 3339 in UTC; null when there is no such day.
 *
 * @param day `YYYY-MM-DD`
 */
export function beginningOf(day: string): string | null {
  const begin = new Date(`${day}T00:00:00`)
  return Number.isNaN(begin.getTime()) ? null : begin.toISOString()
}

/** The oldest moment that can be asked, where the refusal of an older one names it (SNP333). */
export const oldestIn = (message: string): string | undefined =>
  /The oldest moment that can be asked is (\S+Z)\./.exec(message)?.[1]
