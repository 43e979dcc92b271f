import { isAscii } from 'node:buffer'
import { fold } from '../../kernel/text.ts'
import type { Dictionary } from '../partition.ts'

/**
 * A dictionary over Arrow's bytes and offsets. Nothing is decoded before it is needed. A dictionary of ASCII texts, the usual
 * case, is decoded at once and then sliced; in other dictionaries only the requested texts are decoded, and kept.
 */
export function openDictionary(
  bytes: Uint8Array | undefined,
  offsets: Int32Array | undefined,
  size: number,
): Dictionary {
  if (bytes === undefined || offsets === undefined || size === 0) return emptyDictionary
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, offsets[size])
  let text = (code: number): string => {
    text = isAscii(buffer) ? sliced(buffer, offsets) : decoded(buffer, offsets, size)
    return text(code)
  }
  return { size, utf8: { bytes, offsets }, text: (code) => text(code), folded: (code) => fold(text(code)) }
}

const emptyDictionary: Dictionary = { size: 0, text: () => '', folded: () => '' }

/** For ASCII: one byte is one character, so byte offsets are also text offsets. */
function sliced(buffer: Buffer, offsets: Int32Array): (code: number) => string {
  const whole = buffer.toString('latin1')
  return (code) => whole.slice(offsets[code], offsets[code + 1])
}

function decoded(buffer: Buffer, offsets: Int32Array, size: number): (code: number) => string {
  const texts = new Array<string | undefined>(size)
  return (code) => {
    const known = texts[code]
    if (known !== undefined) return known
    const text = buffer.toString('utf8', offsets[code], offsets[code + 1])
    texts[code] = text
    return text
  }
}
