/** Functions for dates, which are texts in UTC (language reference, 10.4). */
import { ScriptFailure } from '../../failure.ts'
import type { ScriptProblemCode } from '../../script-problem.ts'
import { define, type NativeContext, type NativeFunction, number, text } from '../definition.ts'
import { countReading } from '../text/cost.ts'
import { formatMoment } from './format.ts'
import { type Fields, fieldsOf, type Moment, momentOfInstant, printMoment } from './moment.ts'
import { parseDayFirst, parseMoment } from './parse.ts'
import { addUnits, type DateUnit, dateUnits, unitNamed, unitsBetween } from './units.ts'

const category = 'Dates'

const now = define({
  name: 'Now',
  category,
  parameters: [],
  returns: 'string',
  about: 'The current time in UTC, to the millisecond.',
  body: (context) => context.text(printMoment(momentOfInstant(context.now()))),
})

const today = define({
  name: 'Today',
  category,
  parameters: [],
  returns: 'string',
  about: 'The current date in UTC, as `yyyy-MM-dd`.',
  body: (context) => context.text(printMoment(momentOfInstant(context.now())).slice(0, 10)),
})

const parseDate = define({
  name: 'ParseDate',
  category,
  parameters: [text('value')],
  returns: 'string',
  about: 'Reads a date in many forms and writes it as `yyyy-MM-ddTHH:mm:ss.fffZ`.',
  body(context, value) {
    const moment = momentIn(value, context) ?? parseDayFirst(value)
    if (moment === null) throw noDate('JM5800', 'ParseDate', value)
    return context.text(printMoment(moment))
  },
})

/** The most memory per character of a format, while a date is written part by part. */
const PART_BYTES = 24

const formatDate = define({
  name: 'FormatDate',
  category,
  parameters: [text('left'), text('right')],
  returns: 'string',
  about: 'Writes a date in a format such as `dd MMM yyyy`.',
  body(context, left, right) {
    const moment = requireMoment(left, 'FormatDate', context)
    context.work(1 + Math.floor(right.length / 10))
    context.allocate(PART_BYTES * right.length)
    const formatted = formatMoment(moment, right)
    if (formatted === null) {
      throw new ScriptFailure('JM5801', `FormatDate: '${clipped(right)}' is not a format of dates`)
    }
    return context.text(formatted)
  },
})

const dateAdd = define({
  name: 'DateAdd',
  category,
  parameters: [text('date'), number('amount'), text('unit')],
  returns: 'string',
  about: 'Adds an amount of days, weeks, months, years, hours, minutes or seconds to a date.',
  body(context, date, amount, unit) {
    const moment = requireMoment(date, 'DateAdd', context)
    if (!Number.isInteger(amount)) throw new ScriptFailure('JM5803', 'DateAdd needs an integer as amount')
    const sum = addUnits(moment, amount, requireUnit(unit, 'DateAdd'))
    if (sum === null)
      throw new ScriptFailure('JM5002', 'DateAdd: the date would be outside the years 1 to 9999')
    return context.text(printMoment(sum))
  },
})

const dateDiff = define({
  name: 'DateDiff',
  category,
  parameters: [text('endDate'), text('startDate'), text('unit')],
  returns: 'number',
  about: 'The number of days, weeks, months, years, hours, minutes or seconds between two dates.',
  body(context, endDate, startDate, unit) {
    const end = requireMoment(endDate, 'DateDiff', context)
    const start = requireMoment(startDate, 'DateDiff', context)
    return unitsBetween(start, end, requireUnit(unit, 'DateDiff'))
  },
})

const parts = new Map<string, keyof Fields>([
  ['year', 'year'],
  ['month', 'month'],
  ['day', 'dayOfMonth'],
  ['hour', 'hour'],
  ['minute', 'minute'],
  ['second', 'second'],
  ['dayofweek', 'dayOfWeek'],
  ['dayofyear', 'dayOfYear'],
])

const datePart = define({
  name: 'DatePart',
  category,
  parameters: [text('left'), text('right')],
  returns: 'number',
  about: 'A part of a date: its year, month, day, hour, minute, second, dayofweek or dayofyear.',
  body(context, left, right) {
    const moment = requireMoment(left, 'DatePart', context)
    const part = parts.get(right.toLowerCase())
    if (part === undefined) {
      const known = [...parts.keys()].join(', ')
      throw new ScriptFailure('JM5805', `DatePart: '${clipped(right)}' is not a part of a date (${known})`)
    }
    return fieldsOf(moment)[part]
  },
})

function momentIn(value: string, context: NativeContext): Moment | null {
  countReading(value.length, context)
  return parseMoment(value, momentOfInstant(context.now()).day)
}

/** @throws ScriptFailure JM5802 */
function requireMoment(value: string, native: string, context: NativeContext): Moment {
  const moment = momentIn(value, context)
  if (moment === null) throw noDate('JM5802', native, value)
  return moment
}

/** @throws ScriptFailure JM5804 */
function requireUnit(word: string, native: string): DateUnit {
  const unit = unitNamed(word)
  if (unit !== null) return unit
  throw new ScriptFailure(
    'JM5804',
    `${native}: '${clipped(word)}' is not a unit of time (${dateUnits.join(', ')})`,
  )
}

const noDate = (code: ScriptProblemCode, native: string, value: string): ScriptFailure =>
  new ScriptFailure(code, `${native}: '${clipped(value)}' is not a date`)

const clipped = (value: string): string => (value.length > 60 ? `${value.slice(0, 60)}…` : value)

export const dateFunctions: readonly NativeFunction[] = [
  now,
  today,
  parseDate,
  formatDate,
  dateAdd,
  dateDiff,
  datePart,
]
