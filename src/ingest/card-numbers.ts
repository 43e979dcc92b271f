/**
 * Card numbers lose all but their last four digits before anything is stored, so that no full number is in a snapshot, a
 * log, or a working file of a refresh. Where a column is known to hold them every digit counts; in other quoted text only
 * what looks like a card number is touched.
 */

/** `4111 1111 1111 1111` becomes `**** **** **** 1111`. Fewer than five digits leave nothing to mask. */
export function maskCardNumber(text: string): string {
  let digits = text.match(DIGITS)?.length ?? 0
  return text.replace(DIGITS, (digit) => (digits-- > 4 ? '*' : digit))
}

const DIGITS = /\p{Nd}/gu

/** The same in the database: `masked_card` calls `masked_before` with the place where the last four digits begin. */
export const maskingMacros: readonly string[] = [
  `masked_card(t) AS masked_before(t, length(regexp_extract(t, '(?s)^(.*?)(?:\\p{Nd}\\P{Nd}*){4}$', 1)))`,
  `masked_before(t, place) AS regexp_replace(t[:place], '\\p{Nd}', '*', 'g') || t[place + 1:]`,
]

/** In text that quotes an extract: 13 to 19 digits, with spaces or hyphens in between at most. */
export const maskCardNumbersIn = (text: string): string =>
  text.replace(/\d(?:[ -]?\d){12,18}/g, (number) => '*'.repeat(number.length - 4) + number.slice(-4))

/** In a line of NDJSON: the members of these names, in any letter case. In a line that is no JSON, everything. */
export function maskMembers(line: string, names: readonly string[]): string {
  if (!isJson(line)) return maskCardNumber(line)
  return line.replace(
    /("(?:[^"\\]|\\.)*")(\s*:\s*)("(?:[^"\\]|\\.)*"|\[[^\]]*|\{[^}]*)/g,
    (member, name: string, colon: string, value: string) =>
      names.includes(name.slice(1, -1).toLowerCase()) ? name + colon + maskCardNumber(value) : member,
  )
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line)
    return true
  } catch {
    return false
  }
}

/** In a record of CSV: the fields at these places, counted from 0. */
export function maskFields(record: string, delimiter: string, places: readonly number[]): string {
  let masked = ''
  for (let at = 0, place = 0; at <= record.length; place++) {
    const end = endOfField(record, at, delimiter)
    const field = record.slice(at, end)
    masked += (place === 0 ? '' : delimiter) + (places.includes(place) ? maskCardNumber(field) : field)
    at = end + delimiter.length
  }
  return masked
}

/** A field that begins with a quote, spaces before it aside, goes on to the next single one. */
function endOfField(record: string, from: number, delimiter: string): number {
  let at = from
  while (record[at] === ' ') at++
  if (record[at] === '"') {
    at++
    while (at < record.length && (record[at] !== '"' || record[at + 1] === '"'))
      at += record[at] === '"' ? 2 : 1
  }
  const end = record.indexOf(delimiter, at)
  return end === -1 ? record.length : end
}
