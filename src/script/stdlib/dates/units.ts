/** Adds to dates and subtracts them, by unit (language reference, 10.4). */
import {
  dayOf,
  daysInMonth,
  fieldsOf,
  type Moment,
  momentAt,
  TICKS_PER_DAY,
  TICKS_PER_HOUR,
  TICKS_PER_MINUTE,
  TICKS_PER_SECOND,
} from './moment.ts'

export type DateUnit = 'day' | 'week' | 'month' | 'year' | 'hour' | 'minute' | 'second'

type UnitRow = {
  readonly add: (moment: Moment, amount: number) => Moment | null
  /** Converts ticks to a number of this unit. */
  readonly count: (ticks: number) => number
}

const addDays = ({ day, ticks }: Moment, amount: number): Moment | null => momentAt(day + amount, ticks)

function addMonths(moment: Moment, amount: number): Moment | null {
  const { year, month, dayOfMonth } = fieldsOf(moment)
  const months = year * 12 + month - 1 + amount
  const newYear = Math.floor(months / 12)
  if (!(newYear >= 1 && newYear <= 9999)) return null
  const newMonth = (months % 12) + 1
  const clipped = Math.min(dayOfMonth, daysInMonth(newYear, newMonth))
  return momentAt(dayOf(newYear, newMonth, clipped) as number, moment.ticks)
}

/** Whole days are added separately: a double cannot hold the ticks of decades exactly. */
const adding =
  (unitTicks: number) =>
  ({ day, ticks }: Moment, amount: number): Moment | null => {
    const perDay = TICKS_PER_DAY / unitTicks
    const days = Math.floor(amount / perDay)
    return momentAt(day + days, ticks + (amount - days * perDay) * unitTicks)
  }

const days = (ticks: number): number => ticks / TICKS_PER_DAY

const units: { readonly [U in DateUnit]: UnitRow } = {
  day: { add: addDays, count: days },
  week: { add: (moment, amount) => addDays(moment, 7 * amount), count: (ticks) => days(ticks) / 7 },
  month: { add: addMonths, count: (ticks) => days(ticks) / 30.44 },
  year: { add: (moment, amount) => addMonths(moment, 12 * amount), count: (ticks) => days(ticks) / 365.25 },
  hour: { add: adding(TICKS_PER_HOUR), count: (ticks) => ticks / TICKS_PER_HOUR },
  minute: { add: adding(TICKS_PER_MINUTE), count: (ticks) => ticks / TICKS_PER_MINUTE },
  second: { add: adding(TICKS_PER_SECOND), count: (ticks) => ticks / TICKS_PER_SECOND },
}

export const dateUnits = Object.keys(units) as readonly DateUnit[]

/** Finds a unit by its name in any letter case, singular or plural; null for other words. */
export function unitNamed(word: string): DateUnit | null {
  const lower = word.toLowerCase()
  return dateUnits.find((unit) => lower === unit || lower === `${unit}s`) ?? null
}

/** Adding months or years stops at the last day of a shorter month. Null outside the years 1 to 9999. */
export const addUnits = (moment: Moment, amount: number, unit: DateUnit): Moment | null =>
  units[unit].add(moment, amount)

export const unitsBetween = (start: Moment, end: Moment, unit: DateUnit): number =>
  units[unit].count((end.day - start.day) * TICKS_PER_DAY + (end.ticks - start.ticks))
