import { fold } from '../kernel/text.ts'
import type { Dictionary } from './partition.ts'

/**
 * A dictionary over Arrow's bytes and offsets. Texts are decoded when they are first asked for and then kept: an equality
 * looks at a handful of a hundred thousand record locators.
 */
export function openDictionary(
  bytes: Uint8Array | undefined,
  offsets: Int32Array | undefined,
  size: number,
): Dictionary {
  const buffer =
    bytes === undefined ? Buffer.alloc(0) : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const texts = new Array<string | undefined>(size)
  const folds = new Array<string | undefined>(size)
  const text = (code: number): string =>
    (texts[code] ??= buffer.toString('utf8', offsets?.[code], offsets?.[code + 1]))
  return { size, text, folded: (code) => (folds[code] ??= fold(text(code))) }
}
