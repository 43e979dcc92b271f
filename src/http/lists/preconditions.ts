/**
 * Decides for a conditional request whether the caller's copy is still good (RFC 9110, sections 13.1.2 and 13.1.3). A request
 * with `If-None-Match` is decided by that header alone (section 13.2.2).
 */

const entityTag = /(?:W\/)?("[^"]*")/g

/** Uses the weak comparison, so that a tag that a proxy has weakened still matches. */
export function isStillGood(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch.trim() === '*') return true
  const strong = etag.replace(/^W\//, '')
  for (const [, tag] of ifNoneMatch.matchAll(entityTag)) if (tag === strong) return true
  return false
}

type Times = { readonly lastModified: Date; readonly currentSince: Date | null }

/**
 * Whether nothing has changed since the date. The data is good at the date of `Last-Modified` itself, and from the moment on
 * when callers got it: data that was extracted at 8:00 and published at 9:00 is news for a caller that last asked at 8:30, and so
 * is an earlier snapshot to which the operator has returned. A text that is not a date is ignored, and so is a date in the future:
 * it comes from a clock that is fast, and would hide what is published until then.
 */
export function isUnmodifiedSince(
  ifModifiedSince: string,
  { lastModified, currentSince }: Times,
  now: number = Date.now(),
): boolean {
  const date = parseHttpDate(ifModifiedSince, now)
  if (date === undefined || date > now) return false
  if (date === wholeSecond(lastModified)) return true
  return currentSince !== null && date >= currentSince.getTime()
}

const wholeSecond = (date: Date): number => Math.floor(date.getTime() / 1000) * 1000

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** The three forms of RFC 9110, section 5.6.7. The day of the week is not compared with the date. */
const forms = [
  /^[A-Z][a-z]{2}, (?<day>\d\d) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) (?<time>\d\d:\d\d:\d\d) GMT$/,
  /^[A-Z][a-z]{5,8}, (?<day>\d\d)-(?<month>[A-Z][a-z]{2})-(?<year>\d\d) (?<time>\d\d:\d\d:\d\d) GMT$/,
  /^[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) (?<time>\d\d:\d\d:\d\d) (?<year>\d{4})$/,
]

/** In milliseconds; undefined for anything that is not a date of HTTP. */
export function parseHttpDate(text: string, now: number): number | undefined {
  for (const form of forms) {
    const { day = '', month = '', year = '', time = '' } = form.exec(text)?.groups ?? {}
    const at = months.indexOf(month)
    if (at < 0) continue
    const date = `${fullYear(year, now)}-${String(at + 1).padStart(2, '0')}-${day.replace(' ', '0')}`
    const found = Date.parse(`${date}T${time}Z`)
    // Date.parse moves 30 February into March.
    return Number.isNaN(found) || !new Date(found).toISOString().startsWith(date) ? undefined : found
  }
  return undefined
}

/** A year of two digits that seems to be more than 50 years ahead is in the past. */
function fullYear(year: string, now: number): string {
  if (year.length === 4) return year
  const thisYear = new Date(now).getUTCFullYear()
  const inThisCentury = thisYear - (thisYear % 100) + Number(year)
  return String(inThisCentury > thisYear + 50 ? inThisCentury - 100 : inThisCentury)
}
