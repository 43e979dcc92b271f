/**
 * Writes records with selected members as JSON, straight from the columns of an engine that holds finished records: no record
 * becomes an object, and what is not selected is not read.
 */
import { ByteWriter } from '../byte-writer.ts'
import { DayTexts } from '../day-texts.ts'
import type { JsonLayout } from '../json-records.ts'
import type { OpenWriter } from '../record-writer.ts'
import { recordWriter } from './json-members.ts'

/** Spare room, so that the last record of a chunk seldom makes the memory grow. */
const SPARE_BYTES = 4096

const COMMA = 0x2c
const LINE_FEED = 0x0a

export const selectedJsonWriter =
  (layout: JsonLayout): OpenWriter =>
  (of, { chunkBytes, memory }) => {
    const inLines = layout === 'lines'
    // In an array a comma precedes each record except the first one of the answer.
    let isBehindOthers = false
    const newChunk = () => new ByteWriter(memory.take(chunkBytes + SPARE_BYTES))
    return {
      *batch({ collection, rows: { ids, from, count } }) {
        if (count === 0) return
        const write = recordWriter(of, collection, count, new DayTexts())
        let chunk = newChunk()
        for (let i = 0; i < count; i++) {
          if (chunk.length >= chunkBytes) {
            yield chunk.written()
            chunk = newChunk()
          }
          if (!inLines && isBehindOthers) chunk.byte(COMMA)
          isBehindOthers = true
          write(ids === null ? from + i : ids[from + i]!, chunk)
          if (inLines) chunk.byte(LINE_FEED)
        }
        yield chunk.written()
      },
    }
  }
