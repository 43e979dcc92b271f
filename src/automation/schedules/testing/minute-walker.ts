/**
 * Finds due times by looking at every minute: slow, and written from the rules alone, as the measure for `dueTimes`. Reads five fields
 * of numbers.
 */
export const MINUTE_MS = 60_000

type Local = {
  /** The time on the wall, as if it were UTC. */
  readonly wall: number
  readonly minute: number
  readonly hour: number
  readonly day: number
  readonly month: number
  readonly weekday: number
}

/** @returns the due times later than `from` and not later than `to`, oldest first */
export function minuteWalker(cron: string, timeZone: string): (from: number, to: number) => number[] {
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = cron.split(' ')
  const minutes = valuesOf(minute, 0, 59)
  const hours = valuesOf(hour, 0, 23)
  const days = valuesOf(day, 1, 31)
  const months = valuesOf(month, 1, 12)
  const weekdays = valuesOf(weekday, 0, 6)
  const localOf = localTimes(timeZone)
  const matchesDay = (local: Local): boolean => {
    if (!months.has(local.month)) return false
    const [byDay, byWeekday] = [days.has(local.day), weekdays.has(local.weekday)]
    if (day === '*' || weekday === '*') return byDay && byWeekday
    return byDay || byWeekday
  }
  const matches = (local: Local) => minutes.has(local.minute) && hours.has(local.hour) && matchesDay(local)
  const isFixed = !/[*/]/.test(minute + hour)
  /** Whether a time of day that matches lies between two times on the wall. */
  const matchesBetween = (after: number, before: number): boolean => {
    for (let wall = after + MINUTE_MS; wall < before; wall += MINUTE_MS)
      if (matches(partsOf(wall))) return true
    return false
  }
  return (from, to) => {
    const found: number[] = []
    for (let at = Math.floor(from / MINUTE_MS) * MINUTE_MS + MINUTE_MS; at <= to; at += MINUTE_MS) {
      const local = localOf(at)
      if (!isFixed) {
        if (matches(local)) found.push(at)
        continue
      }
      const last = localOf(at - MINUTE_MS).wall
      const isAfterGap = local.wall - last > MINUTE_MS && matchesBetween(last, local.wall)
      if (isAfterGap || (matches(local) && !wasBefore(at, local.wall))) found.push(at)
    }
    return found
  }

  /** Whether the same time was on the wall in the three hours before. */
  function wasBefore(at: number, wall: number): boolean {
    for (let before = at - 15 * MINUTE_MS; before >= at - 180 * MINUTE_MS; before -= 15 * MINUTE_MS) {
      if (localOf(before).wall === wall) return true
    }
    return false
  }
}

const partsOf = (wall: number): Local => {
  const date = new Date(wall)
  return {
    wall,
    minute: date.getUTCMinutes(),
    hour: date.getUTCHours(),
    day: date.getUTCDate(),
    month: date.getUTCMonth() + 1,
    weekday: date.getUTCDay(),
  }
}

/** Zones change their offsets at whole quarters of an hour only. */
function localTimes(timeZone: string): (at: number) => Local {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  })
  const offsets = new Map<number, number>()
  const QUARTER_MS = 15 * MINUTE_MS
  return (at) => {
    const quarter = Math.floor(at / QUARTER_MS) * QUARTER_MS
    let offset = offsets.get(quarter)
    if (offset === undefined) {
      const parts = new Map(format.formatToParts(quarter).map(({ type, value }) => [type, Number(value)]))
      const of = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0
      offset = Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute')) - quarter
      offsets.set(quarter, offset)
    }
    return partsOf(at + offset)
  }
}

/** `*`, a number, a range, each with a step, and lists of them. */
function valuesOf(field: string, lowest: number, highest: number): ReadonlySet<number> {
  const values = field.split(',').flatMap((part) => {
    const [range = '', step = '1'] = part.split('/')
    const [first = '', last = first] = range.split('-')
    const [from, to] = range === '*' ? [lowest, highest] : [Number(first), Number(last)]
    return Array.from({ length: to - from + 1 }, (_, i) => from + i).filter((_, i) => i % Number(step) === 0)
  })
  return new Set(values)
}
