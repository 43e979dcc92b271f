/**
 * Parts of texts. JavaScript's engine cuts a part out by pointing into the whole text, which stays in memory for as long as the
 * part does: a small part of a large text is copied instead.
 */

/** Shorter parts are copied by the engine anyway. */
const LEAST_POINTING = 13

/** A part of a text at most so many times as long may as well keep it. */
const MOST_TIMES = 8

export function partOfText(text: string, start: number, end: number = text.length): string {
  const part = text.slice(start, end)
  if (part.length < LEAST_POINTING || part.length * MOST_TIMES >= text.length) return part
  return Buffer.from(part, 'utf16le').toString('utf16le')
}
