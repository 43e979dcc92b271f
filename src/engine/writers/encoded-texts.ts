/**
 * Encodes the texts of a dictionary as bytes, in the form of a format. A text that comes often is encoded once per export.
 * When most texts come only once, or there are very many, none is kept, because a slow reader would hold that memory for as
 * long as it reads.
 */
import type { EncodedTexts } from '../encoded-records.ts'
import { ByteWriter } from './byte-writer.ts'

/** Keeping texts pays from this many rows per text. */
const LEAST_ROWS_PER_TEXT = 4
const MOST_KEPT_TEXTS = 32_768

/** Appends the text of a code, which must be a code of the dictionary. */
export type AppendText = (code: number, to: ByteWriter) => void

export const isWorthKeeping = ({ dictionary: { size } }: EncodedTexts, rowCount: number): boolean =>
  size <= MOST_KEPT_TEXTS && size * LEAST_ROWS_PER_TEXT <= rowCount

export function encodedTexts(
  texts: EncodedTexts,
  rowCount: number,
  encode: (text: string) => string,
): AppendText {
  const { dictionary } = texts
  const { size } = dictionary
  if (!isWorthKeeping(texts, rowCount)) return (code, to) => to.text(encode(dictionary.text(code)))
  const kept = new ByteWriter(Buffer.allocUnsafeSlow(16 * size))
  const begins = new Int32Array(size).fill(-1)
  const ends = new Int32Array(size)
  return (code, to) => {
    if (begins[code] === -1) {
      begins[code] = kept.length
      kept.text(encode(dictionary.text(code)))
      ends[code] = kept.length
    }
    to.copy(kept.bytes, begins[code]!, ends[code]!)
  }
}
