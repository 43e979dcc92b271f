import { isAscii } from 'node:buffer'
import { fold } from '../../kernel/text.ts'
import type { Dictionary } from '../partition.ts'

/**
 * A dictionary over Arrow's bytes and offsets. Nothing is decoded before it is asked for. ASCII texts, which is most of
 * them, are decoded all at once and then sliced; of other dictionaries only the texts asked for are decoded, and kept.
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
  return { size, text: (code) => text(code), folded: (code) => fold(text(code)) }
}

const emptyDictionary: Dictionary = { size: 0, text: () => '', folded: () => '' }

/** One byte is one character, so that the offsets of the bytes are those of the text. */
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
