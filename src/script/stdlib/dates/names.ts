/** English names of months and days, of which the first three letters are the short ones. */

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

/** Where in a list of names one stands, whole or short, in any case; negative where it does not. */
export function placeOfName(word: string, names: readonly string[]): number {
  const lower = word.toLowerCase()
  return names.findIndex((name) => name.toLowerCase() === lower || name.slice(0, 3).toLowerCase() === lower)
}
