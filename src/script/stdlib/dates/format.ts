/**
 * Writes dates by format strings of .NET, in English and UTC (language reference, 10.4, "Format strings"). A single character
 * names a whole format; a longer format has runs of the same letter, each of which is a part of the date.
 */
import { type Fields, fieldsOf, type Moment } from './moment.ts'
import { dayNames, monthNames } from './names.ts'

const standardFormats = new Map([
  ['d', 'MM/dd/yyyy'],
  ['D', 'dddd, dd MMMM yyyy'],
  ['t', 'HH:mm'],
  ['T', 'HH:mm:ss'],
  ['f', 'dddd, dd MMMM yyyy HH:mm'],
  ['F', 'dddd, dd MMMM yyyy HH:mm:ss'],
  ['g', 'MM/dd/yyyy HH:mm'],
  ['G', 'MM/dd/yyyy HH:mm:ss'],
  ['M', 'MMMM dd'],
  ['m', 'MMMM dd'],
  ['Y', 'yyyy MMMM'],
  ['y', 'yyyy MMMM'],
  ['s', "yyyy-MM-dd'T'HH:mm:ss"],
  ['u', "yyyy-MM-dd HH:mm:ss'Z'"],
  ['o', "yyyy-MM-dd'T'HH:mm:ss.fffffffK"],
  ['O', "yyyy-MM-dd'T'HH:mm:ss.fffffffK"],
  ['r', "ddd, dd MMM yyyy HH:mm:ss 'GMT'"],
  ['R', "ddd, dd MMM yyyy HH:mm:ss 'GMT'"],
  ['U', 'dddd, dd MMMM yyyy HH:mm:ss'],
])

/** Null for a format without a meaning. */
export function formatMoment(moment: Moment, format: string): string | null {
  const whole = format === '' ? 'G' : format
  const pattern = whole.length === 1 ? standardFormats.get(whole) : whole
  return pattern === undefined ? null : formatParts(fieldsOf(moment), pattern)
}

function formatParts(fields: Fields, pattern: string): string | null {
  const written: string[] = []
  for (let at = 0; at < pattern.length; ) {
    const letter = pattern.charAt(at)
    const part = parts.get(letter)
    if (part !== undefined) {
      const count = letter === 'K' ? 1 : runLength(pattern, at)
      const text = part(fields, count)
      if (text === null) return null
      // If the fraction is left out, so is the point before it.
      if (letter === 'F' && text === '' && written.at(-1) === '.') written.pop()
      written.push(text)
      at += count
    } else if (letter === "'" || letter === '"') {
      const quoted = readQuoted(pattern, at)
      if (quoted === null) return null
      written.push(...quoted.text)
      at = quoted.end
    } else if (letter === '%' || letter === '\\') {
      const next = pattern.charAt(at + 1)
      if (next === '' || (letter === '%' && next === '%')) return null
      const text = letter === '%' ? formatParts(fields, next) : next
      if (text === null) return null
      written.push(text)
      at += 2
    } else {
      written.push(letter)
      at++
    }
  }
  return written.join('')
}

function runLength(pattern: string, at: number): number {
  let end = at + 1
  while (pattern[end] === pattern[at]) end++
  return end - at
}

/** Also inside quotes a backslash makes the next character plain. Null for an unclosed quote. */
function readQuoted(
  pattern: string,
  at: number,
): { readonly text: readonly string[]; readonly end: number } | null {
  const text: string[] = []
  for (let i = at + 1; i < pattern.length; i++) {
    if (pattern[i] === pattern[at]) return { text, end: i + 1 }
    if (pattern[i] === '\\' && ++i === pattern.length) return null
    text.push(pattern.charAt(i))
  }
  return null
}

/** Writes the part for a run of letters of this length; null if there is no such run. */
type Part = (fields: Fields, count: number) => string | null

const parts = new Map<string, Part>([
  ['y', ({ year }, count) => (count <= 2 ? padded(year % 100, count) : padded(year, count))],
  ['M', ({ month }, count) => numberOrName(month, monthNames[month - 1] as string, count)],
  ['d', (fields, count) => numberOrName(fields.dayOfMonth, dayNames[fields.dayOfWeek] as string, count)],
  ['H', ({ hour }, count) => padded(hour, Math.min(count, 2))],
  ['h', ({ hour }, count) => padded(hour % 12 || 12, Math.min(count, 2))],
  ['m', ({ minute }, count) => padded(minute, Math.min(count, 2))],
  ['s', ({ second }, count) => padded(second, Math.min(count, 2))],
  ['f', ({ ticks }, count) => fraction(ticks, count)],
  ['F', ({ ticks }, count) => fraction(ticks, count)?.replace(/0+$/, '') ?? null],
  ['t', ({ hour }, count) => (hour < 12 ? 'AM' : 'PM').slice(0, count)],
  ['K', () => 'Z'],
  ['z', (_, count) => ['+0', '+00', '+00:00'][Math.min(count, 3) - 1] as string],
  ['g', () => 'A.D.'],
])

const padded = (value: number, width: number): string => String(value).padStart(width, '0')

const numberOrName = (value: number, name: string, count: number): string =>
  count <= 2 ? padded(value, count) : count === 3 ? name.slice(0, 3) : name

const FRACTION_DIGITS = 7

const fraction = (ticks: number, count: number): string | null =>
  count > FRACTION_DIGITS ? null : padded(ticks, FRACTION_DIGITS).slice(0, count)
