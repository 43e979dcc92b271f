/**
 * A text that keeps no other text in memory. V8 makes a part of a text by pointing into the whole, which then stays in memory
 * as long as the part does.
 */
export function detachedString(text: string): string {
  if (text.length < LEAST_POINTING) return text
  const encoding = text.isWellFormed() ? 'utf8' : 'utf16le'
  return Buffer.from(text, encoding).toString(encoding)
}

/** V8 copies shorter parts. */
const LEAST_POINTING = 13

export type CutText = { readonly text: string; readonly wasCut: boolean }

/** The beginning of a text in at most so many bytes of UTF-8. It never ends inside a character. */
export function cutToBytes(text: string, mostBytes: number): CutText {
  // No unit takes more than three bytes.
  if (text.length * 3 <= mostBytes || Buffer.byteLength(text) <= mostBytes) return { text, wasCut: false }
  const bytes = Buffer.allocUnsafe(mostBytes)
  const { written } = new TextEncoder().encodeInto(text, bytes)
  return { text: bytes.toString('utf8', 0, written), wasCut: true }
}
