/** Turns the text of a batch, records without their closing brace and with line feeds between them, into finished JSON. */
import type { FinishedBatch } from '../engine.ts'
import type { RecordsRow } from './statements.ts'

const LINE_FEED = 0x0a

export function batchOf(records: string): FinishedBatch {
  const bytes = Buffer.from(records)
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
    json: { bytes, offsets: Int32Array.from(offsets), fronts: Int32Array.from(fronts) },
  }
}

export const joinedRows = (rows: readonly RecordsRow[], separator: string): string =>
  rows.map(({ records }) => records).join(separator)
