/** Turns the UTF-8 of a batch, records without their closing brace and with line feeds between them, into finished JSON. */
import type { FinishedBatch } from '../engine.ts'

const LINE_FEED = 0x0a

export function batchOf(bytes: Buffer): FinishedBatch {
  const offsets: number[] = []
  const fronts: number[] = []
  for (let begin = 0; begin < bytes.length; ) {
    const found = bytes.indexOf(LINE_FEED, begin)
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
  for (let at = bytes.indexOf(LINE_FEED); at !== -1; at = bytes.indexOf(LINE_FEED, at + 1)) records++
  return records
}
