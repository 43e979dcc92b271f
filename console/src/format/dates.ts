/** Dates in the viewer's own format. Local times of trips have no zone and are shown as written; moments are shown in the viewer's zone. */

const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' })
const localTime = new Intl.DateTimeFormat(undefined, {
  dateStyle: 'medium',
  timeStyle: 'short',
  timeZone: 'UTC',
})
const timeOfDay = new Intl.DateTimeFormat(undefined, { timeStyle: 'short', timeZone: 'UTC' })
const momentTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
const momentMinute = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' })

/** @param text `YYYY-MM-DD` */
export const formatDay = (text: string): string => formatted(day, `${text}T00:00:00Z`, text)

/** @param text `YYYY-MM-DDTHH:mm`, the local time of a place */
export const formatLocalTime = (text: string): string => formatted(localTime, `${text}:00Z`, text)

/** The time alone, beside its day. @param text `YYYY-MM-DDTHH:mm`, the local time of a place */
export const formatTimeOfDay = (text: string): string => formatted(timeOfDay, `${text}:00Z`, text)

/** @param text RFC 3339 */
export const formatMoment = (text: string): string => formatted(momentTime, text, text)

const momentOfDay = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' })
const momentOfYear = new Intl.DateTimeFormat(undefined, {
  day: 'numeric',
  month: 'short',
  hour: 'numeric',
  minute: '2-digit',
})

/** Without the day when it is today, and without the year when it is this year. @param text RFC 3339, or a date of HTTP */
export function formatRecent(text: string, nowMs = Date.now()): string {
  const [then, now] = [new Date(text), new Date(nowMs)]
  if (Number.isNaN(then.getTime())) return text
  if (then.toDateString() === now.toDateString()) return momentOfDay.format(then)
  return (then.getFullYear() === now.getFullYear() ? momentOfYear : momentMinute).format(then)
}

function formatted(format: Intl.DateTimeFormat, iso: string, otherwise: string): string {
  const milliseconds = Date.parse(iso)
  return Number.isNaN(milliseconds) ? otherwise : format.format(milliseconds)
}

const units = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const

/** Such as `5 minutes ago` and `in 3 days`. */
export function formatAge(text: string, nowMs = Date.now()): string {
  const seconds = (Date.parse(text) - nowMs) / 1000
  if (Number.isNaN(seconds)) return text
  for (const [unit, length] of units) {
    if (Math.abs(seconds) >= length) return relative.format(Math.trunc(seconds / length), unit)
  }
  return relative.format(Math.trunc(seconds), 'second')
}

const timeOfWeek = new Intl.DateTimeFormat(undefined, {
  weekday: 'short',
  hour: '2-digit',
  minute: '2-digit',
})

/** Such as `Mon 14:30`, in the viewer's zone: for a day or so. */
export const formatTimeOfWeek = (milliseconds: number): string => timeOfWeek.format(milliseconds)
