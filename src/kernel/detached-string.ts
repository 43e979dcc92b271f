/**
 * Copies a text so that it keeps no other text in memory, and takes no more than its characters need. V8 represents a substring
 * by a pointer into the whole text, which then stays in memory as long as the substring does.
 */
export function detachedString(text: string): string {
  if (text.length < LEAST_POINTING) return text
  const encoding = isWide(text) ? 'utf16le' : 'latin1'
  if (text.length > SHORT) return Buffer.from(text, encoding).toString(encoding)
  scratch ??= Buffer.allocUnsafeSlow(2 * SHORT)
  return scratch.toString(encoding, 0, scratch.write(text, encoding))
}

/** V8 copies shorter substrings. */
const LEAST_POINTING = 13

/** Texts up to this length are copied through one buffer, which takes a third of the time. */
const SHORT = 4096
let scratch: Buffer | undefined

const wide = /[^\0-\xff]/

/** Whether V8 needs two bytes for each unit. Reading a text that was concatenated makes it flat. */
export const isWide = (text: string): boolean => wide.test(text)

export type CutText = { readonly text: string; readonly wasCut: boolean }

/** Cuts a text to at most `mostBytes` bytes of UTF-8, never inside a character. */
export function cutToBytes(text: string, mostBytes: number): CutText {
  // A UTF-16 code unit takes at most three bytes.
  if (text.length * 3 <= mostBytes || Buffer.byteLength(text) <= mostBytes) return { text, wasCut: false }
  const bytes = Buffer.allocUnsafe(mostBytes)
  const { written } = new TextEncoder().encodeInto(text, bytes)
  return { text: bytes.toString('utf8', 0, written), wasCut: true }
}
