/**
 * Turns the UTF-8 of a batch, records without their closing brace and with separators between them, into finished JSON.
 */
import type { FinishedBatch } from '../engine.ts'

/** U+001E, the record separator: JSON escapes it in texts, and has it nowhere else (RFC 8259, section 7). */
const SEPARATOR = 0x1e
/** The same as SQL. */
export const SEPARATOR_SQL = String.raw`E'\x1e'`
/** The same as text. */
export const SEPARATOR_TEXT = '\x1e'

export function batchOf(bytes: Buffer): FinishedBatch {
  const offsets: number[] = []
  const fronts: number[] = []
  for (let begin = 0; begin < bytes.length; ) {
    const found = bytes.indexOf(SEPARATOR, begin)
    const end = found === -1 ? bytes.length : found
    offsets.push(begin)
    fronts.push(end - begin)
    begin = end + 1
  }
  offsets.push(bytes.length)
  return {
    count: fronts.length,
    json: { bytes, offsets: new Int32Array(offsets), fronts: new Int32Array(fronts) },
  }
}

/** The number of records of a batch. */
export function recordsIn(bytes: Buffer): number {
  let records = 1
  for (let at = bytes.indexOf(SEPARATOR); at !== -1; at = bytes.indexOf(SEPARATOR, at + 1)) records++
  return records
}
