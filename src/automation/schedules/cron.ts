/**
 * Reads cron texts and computes when they are due. The grammar:
 *
 *     cron  = "@hourly" | "@daily" | "@midnight" | "@weekly" | "@monthly" | "@yearly" | "@annually" | five fields
 *     field = part { "," part }
 *     part  = ( "*" | value "-" value ) [ "/" step ] | value
 *
 * Fields are minute, hour, day of month, month (also JAN) and day of week (also SUN; 0 and 7 are Sunday, and a range may end with
 * SUN). When both day fields are restricted, a day that matches either of them matches.
 *
 * Due times follow the clock on the wall of the time zone. Where it is put forward or back:
 * - Times of day, without `*` or a step in minute and hour: each is due once a day. One that the clock skips is due at the first
 *   minute after the gap; one that occurs twice is due the first time.
 * - All others (`0 * * * *`, `*\/15 9-17 * * *`) are due at every minute that matches: not in a gap, and in both passes of an hour that
 *   occurs twice.
 */
import { Cron } from 'croner'
import { closest } from '../../kernel/closest.ts'

export type CronFault = {
  readonly message: string
  /** Counted from 1, in UTF-16 code units. */
  readonly column: number
}

/** @returns the first fault of each field; empty for a text that is due at some time */
export function cronFaults(text: string): readonly CronFault[] {
  if (text.startsWith('@')) return nicknames.has(text.toLowerCase()) ? [] : [unknownNickname(text)]
  const given = [...text.matchAll(/\S+/g)]
  if (given.length !== fields.length) {
    const message = `Expected five fields (minute, hour, day of month, month, day of week), found ${given.length}`
    return [{ message, column: 1 }]
  }
  const faults = fields.flatMap((field, index) => {
    const [fieldText = '', start] = [given[index]?.[0], given[index]?.index ?? 0]
    const fault = fieldFault(fieldText, field)
    return fault === null ? [] : [{ message: fault.message, column: start + fault.column }]
  })
  if (faults.length > 0 || hasDueTime(text)) return faults
  const column = (given[2]?.index ?? 0) + 1
  return [{ message: 'Expected a day that some year has, found none that matches all fields', column }]
}

/** Whether the clocks of this machine know the zone. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    // Offsets such as +02:00 are accepted above, but know no daylight-saving time.
    return /^[A-Za-z]/.test(name)
  } catch {
    return false
  }
}

export type DueTimes = {
  /** The first due time after a moment; null when there is none in the next centuries. Milliseconds since 1970, like all moments here. */
  readonly nextAfter: (moment: number) => number | null
  /** The newest due times that are later than one moment and not later than another, oldest first. */
  readonly between: (after: number, until: number, most: number) => readonly number[]
}

/** Both texts must have no faults. */
export function dueTimes(cron: string, timeZone: string): DueTimes {
  const pattern = patternOf(cron, timeZone)
  return {
    nextAfter: (moment) => pattern.nextRun(new Date(moment))?.getTime() ?? null,
    between: (after, until, most) => {
      // The library looks for times before a moment, by whole seconds.
      let end = new Date(Math.floor(until / 1000) * 1000 + 1000)
      const found: number[] = []
      // One by one: most often there is only one, and the library would look for as many as are asked for.
      while (found.length < most) {
        const [before] = pattern.previousRuns(1, end)
        if (before === undefined || before.getTime() <= after) break
        found.push(before.getTime())
        end = before
      }
      return found.filter((time) => time <= until).reverse()
    },
  }
}

function patternOf(cron: string, timezone: string): Cron {
  return new Cron(cron, { timezone, mode: '5-part', fixedTimeRule: 'no-wildcard', paused: true })
}

type Field = {
  readonly name: string
  readonly from: number
  readonly to: number
  /** Names of values, from the first on. */
  readonly names: readonly string[]
}

const months = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC']
const days = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT']

const fields: readonly Field[] = [
  { name: 'minute', from: 0, to: 59, names: [] },
  { name: 'hour', from: 0, to: 23, names: [] },
  { name: 'day of month', from: 1, to: 31, names: [] },
  { name: 'month', from: 1, to: 12, names: months },
  { name: 'day of week', from: 0, to: 7, names: days },
]

const nicknames = new Set(['@hourly', '@daily', '@midnight', '@weekly', '@monthly', '@yearly', '@annually'])

function unknownNickname(text: string): CronFault {
  const near = closest(text.toLowerCase(), [...nicknames])
  const known = [...nicknames].join(', ')
  const suggestion = near === undefined ? '' : `; did you mean ${near}?`
  return { message: `Expected one of ${known}, found '${text}'${suggestion}`, column: 1 }
}

const PART = /^(?:(\*)|([^-/*]+)(?:-([^-/*]+))?)(?:\/(.*))?$/

function fieldFault(text: string, field: Field): CronFault | null {
  let column = 1
  for (const part of text.split(',')) {
    const fault = partFault(part, field)
    if (fault !== null) return { message: fault, column }
    column += part.length + 1
  }
  return null
}

function partFault(part: string, field: Field): string | null {
  const { name, from, to, names } = field
  const named = names.length > 0 ? `, or ${names[0]} to ${names.at(-1)},` : ''
  const [matched, every, first = '', last, step] = PART.exec(part) ?? []
  if (matched === undefined) {
    return `Expected ${from}, ${from}-${to}, * or */2 as ${name}, found '${part}'`
  }
  if (every === undefined) {
    for (const value of last === undefined ? [first] : [first, last]) {
      if (numberOf(value, field) === null)
        return `Expected ${from} to ${to}${named} as ${name}, found '${value}'`
    }
    if (last !== undefined && Number(numberOf(first, field)) > endOfRange(last, field)) {
      return `Expected the lower ${name} first, found '${part}'`
    }
  }
  if (step === undefined) return null
  if (every === undefined && last === undefined) {
    return `Expected * or a range before /${step}, found '${first}'`
  }
  return /^\d{1,3}$/.test(step) && Number(step) >= 1 && Number(step) <= to
    ? null
    : `Expected a step from 1 to ${to} after the slash, found '${step}'`
}

/** A week that ends with SUN has begun before. */
const endOfRange = (text: string, field: Field): number =>
  text.toUpperCase() === 'SUN' ? field.to : Number(numberOf(text, field))

function numberOf(text: string, { from, to, names }: Field): number | null {
  const named = names.indexOf(text.toUpperCase())
  if (named >= 0) return from + named
  if (!/^\d{1,2}$/.test(text)) return null
  const value = Number(text)
  return value >= from && value <= to ? value : null
}

/** The 31st of February passes every other check. */
const hasDueTime = (text: string): boolean => patternOf(text, 'UTC').nextRun(new Date(0)) !== null
