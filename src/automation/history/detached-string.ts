/** Texts that are kept longer than what they were cut out of. */

/**
 * A text that holds on to nothing but its own characters: JavaScript's engine cuts a part out by pointing into the whole, which
 * then stays in memory as long as the part does.
 */
export function detachedString(text: string): string {
  if (text.length < LEAST_POINTING) return text
  const encoding = text.isWellFormed() ? 'utf8' : 'utf16le'
  return Buffer.from(text, encoding).toString(encoding)
}

/** Shorter parts are copied by the engine anyway. */
const LEAST_POINTING = 13

export type CutText = { readonly text: string; readonly wasCut: boolean }

/** The beginning of a text, in so many bytes of UTF-8 at most, never a part of a character. */
export function cutToBytes(text: string, mostBytes: number): CutText {
  // No unit takes more than three.
  if (text.length * 3 <= mostBytes || Buffer.byteLength(text) <= mostBytes) return { text, wasCut: false }
  const bytes = Buffer.allocUnsafe(mostBytes)
  const { written } = new TextEncoder().encodeInto(text, bytes)
  return { text: bytes.toString('utf8', 0, written), wasCut: true }
}
