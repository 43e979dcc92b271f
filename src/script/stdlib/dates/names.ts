/** English names of months and days; the first three letters are the short names. */

export const monthNames: readonly string[] = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]

export const dayNames: readonly string[] = [
  'Sunday',
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
]

/** The place of a full or short name in a list, in any letter case; negative if it is not there. */
export function placeOfName(word: string, names: readonly string[]): number {
  const lower = word.toLowerCase()
  return names.findIndex((name) => name.toLowerCase() === lower || name.slice(0, 3).toLowerCase() === lower)
}
