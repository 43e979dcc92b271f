/**
 * Writes records with selected members as JSON, straight from the columns of an engine that holds finished records: no record
 * becomes an object, and what is not selected is not read.
 */
import type { RowNumbers } from '../../encoded-records.ts'
import { ByteWriter } from '../byte-writer.ts'
import { fullLength } from '../chunk-room.ts'
import type { JsonLayout } from '../json-records.ts'
import type { OpenWriter } from '../record-writer.ts'
import { type Around, type RecordPart, rowsPerBlock } from './blocks.ts'
import { recordParts } from './record-parts.ts'

const around: { readonly [Layout in JsonLayout]: Around } = {
  array: { ahead: ',', behind: '' },
  lines: { ahead: '', behind: '\n' },
}

export const selectedJsonWriter =
  (layout: JsonLayout): OpenWriter =>
  (of, room) => {
    const full = fullLength(room)
    /** How many bytes ahead of the next record are left out: the comma of the first one of the answer. */
    let leftOut = around[layout].ahead.length
    return {
      *batch({ collection, rows }) {
        if (rows.count === 0) return
        const parts = recordParts(of, collection, around[layout], rows.count)
        const columnCount = parts.reduce((sum, part) => sum + part.columnCount, 0)
        const block = new Int32Array(Math.min(rowsPerBlock(columnCount), rows.count))
        const newChunk = () => new ByteWriter(room.memory.take(room.chunkBytes))
        let chunk = newChunk()
        for (let first = 0; first < rows.count; first += block.length) {
          const count = beginBlock(rows, first, block)
          for (const part of parts) part.begin(block, count)
          for (let place = 0; place < count; ) {
            if (chunk.length >= full) {
              yield chunk.written().subarray(leftOut)
              leftOut = 0
              chunk = newChunk()
            }
            place = writeRecords(parts, place, count, chunk, full)
          }
        }
        yield chunk.written().subarray(leftOut)
        leftOut = 0
      },
    }
  }

/** Returns the number of rows in the block that begins with the `first` one. */
function beginBlock({ ids, from, count }: RowNumbers, first: number, block: Int32Array): number {
  const length = Math.min(block.length, count - first)
  for (let place = 0; place < length; place++) {
    block[place] = ids === null ? from + first + place : ids[from + first + place]!
  }
  return length
}

/** Returns the place behind the last record that was written; a loop in a generator would be compiled late and slow. */
function writeRecords(
  parts: readonly RecordPart[],
  from: number,
  end: number,
  chunk: ByteWriter,
  full: number,
): number {
  let place = from
  for (; place < end && chunk.length < full; place++) {
    for (let i = 0; i < parts.length; i++) parts[i]!.write(place, chunk)
  }
  return place
}
