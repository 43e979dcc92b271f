/** Cuts long texts into parts, in no more memory than their characters take. */

/** The engine copies shorter parts anyway. */
const LEAST_POINTING = 13

/** A part may keep the whole text in memory if that is at most this many times as long. */
const MOST_TIMES = 8

/**
 * JavaScript's engine makes a part by pointing into the whole text, which then stays in memory as long as the part. So a small
 * part of a large text is copied instead.
 */
export function partOfText(text: string, start: number, end: number = text.length): string {
  const part = text.slice(start, end)
  if (part.length < LEAST_POINTING || part.length * MOST_TIMES >= text.length) return part
  return Buffer.from(part, 'utf16le').toString('utf16le')
}
