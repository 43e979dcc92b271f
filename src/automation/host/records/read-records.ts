/** Turns the JSON of records into values of a script, whose memory is counted. */
import { type NativeContext, readJson, type ScriptArray, type Value } from '../../../script/values.ts'
import { nextSlice } from '../host-answers.ts'
import type { FoundRecords } from '../query-records.ts'

const CHUNK_BYTES = 64 * 1024
const COMMA = 0x2c
const OPEN = Buffer.from('[')
const CLOSE = Buffer.from(']')

/** All records. Other runs get their turn between two chunks. @throws ScriptFailure JM5910 when they do not fit into the memory */
export async function readRecords(context: NativeContext, { chunks }: FoundRecords): Promise<ScriptArray> {
  const records: Value[] = []
  let until = performance.now()
  for await (const chunk of chunks(CHUNK_BYTES)) {
    for (const record of recordsIn(chunk, context).items) records.push(record)
    if (performance.now() > until) until = await nextSlice(context)
  }
  return context.array(records)
}

/** The records of one chunk. */
export function recordsIn(chunk: Uint8Array, context: NativeContext): ScriptArray {
  const inside = chunk[0] === COMMA ? chunk.subarray(1) : chunk
  return readJson(Buffer.concat([OPEN, inside, CLOSE]).toString(), context) as ScriptArray
}
