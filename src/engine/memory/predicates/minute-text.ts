/**
 * `contains` and `endswith` on the text form of a minute, `yyyy-mm-ddthh:mm` when folded, without writing out every minute:
 * there are 1440 times of day and few days, and the `t` between them fixes where a part that spans both is split.
 */
import { formatDate, formatMinute, MINUTES_PER_DAY } from '../../../kernel/calendar.ts'
import type { TextFunction } from '../../../query/ast.ts'
import { rememberingIntegers } from './compare-texts.ts'

type Test = (text: string) => boolean

export function minuteTest(
  textFunction: Exclude<TextFunction, 'startswith'>,
  folded: string,
): (minute: number) => boolean {
  const middle = folded.indexOf('t')
  if (middle < 0) {
    const ofDate: Test = textFunction === 'contains' ? (date) => date.includes(folded) : () => false
    const ofTime: Test = (time) =>
      textFunction === 'contains' ? time.includes(folded) : time.endsWith(folded)
    return eitherHalf(ofDate, ofTime)
  }
  const dateEnd = folded.slice(0, middle)
  const timePart = folded.slice(middle + 1)
  const ofTime: Test = (time) => (textFunction === 'contains' ? time.startsWith(timePart) : time === timePart)
  return bothHalves((date) => date.endsWith(dateEnd), ofTime)
}

function eitherHalf(ofDate: Test, ofTime: Test): (minute: number) => boolean {
  const { dayPasses, timePasses } = halves(ofDate, ofTime)
  return (minute) => {
    const day = Math.floor(minute / MINUTES_PER_DAY)
    return timePasses[minute - day * MINUTES_PER_DAY] === 1 || dayPasses(day)
  }
}

function bothHalves(ofDate: Test, ofTime: Test): (minute: number) => boolean {
  const { dayPasses, timePasses } = halves(ofDate, ofTime)
  return (minute) => {
    const day = Math.floor(minute / MINUTES_PER_DAY)
    return timePasses[minute - day * MINUTES_PER_DAY] === 1 && dayPasses(day)
  }
}

function halves(ofDate: Test, ofTime: Test): { dayPasses: (day: number) => boolean; timePasses: Uint8Array } {
  return {
    dayPasses: rememberingIntegers((day) => ofDate(formatDate(day))),
    timePasses: Uint8Array.from({ length: MINUTES_PER_DAY }, (_, time) => Number(ofTime(timeTexts()[time]!))),
  }
}

let times: readonly string[] | undefined

/** `00:00` to `23:59`: the times of day of 1970-01-01. */
function timeTexts(): readonly string[] {
  times ??= Array.from({ length: MINUTES_PER_DAY }, (_, minute) => formatMinute(minute).slice(11))
  return times
}
