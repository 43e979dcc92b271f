/**
 * Writes the groups of an aggregation as bytes, in any format: flat rows, whose members have the names that the groups give
 * them. They are all in memory, so that they are written without waiting.
 */
import type { RecordFormat } from '../../../schema/record-formats.ts'
import type { GroupSet } from '../../group-set.ts'
import { type ChunkMemory, freshMemory } from '../chunk-room.ts'
import type { WritableRecords } from '../write-records.ts'
import { arrowGroups } from './arrow-groups.ts'
import { csvLines } from './csv-groups.ts'
import { jsonLines } from './json-groups.ts'

export const writableGroups = (groups: GroupSet): WritableRecords => ({
  total: groups.total,
  count: groups.count,
  chunks: (format, chunkBytes, memory = freshMemory) => {
    if (format === 'arrow') return slices(arrowGroups(groups), chunkBytes, memory)
    return textChunks(linesOf(groups, format), chunkBytes, memory)
  },
})

function linesOf(groups: GroupSet, format: Exclude<RecordFormat, 'arrow'>): Iterable<string> {
  switch (format) {
    case 'json':
      return jsonLines(groups, { between: ',', end: '' })
    case 'ndjson':
      return jsonLines(groups, { between: '', end: '\n' })
    case 'csv':
      return csvLines(groups)
  }
}

/** Joins lines to chunks of about the size. */
function* textChunks(
  lines: Iterable<string>,
  chunkBytes: number,
  memory: ChunkMemory,
): Generator<Uint8Array> {
  let text = ''
  for (const line of lines) {
    text += line
    if (text.length < chunkBytes) continue
    yield bytesOf(text, memory)
    text = ''
  }
  if (text !== '') yield bytesOf(text, memory)
}

function bytesOf(text: string, memory: ChunkMemory): Uint8Array {
  const chunk = memory.take(Buffer.byteLength(text))
  return chunk.subarray(0, chunk.write(text))
}

function* slices(bytes: Uint8Array, chunkBytes: number, memory: ChunkMemory): Generator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += chunkBytes) {
    const slice = bytes.subarray(from, from + chunkBytes)
    const chunk = memory.take(slice.length)
    chunk.set(slice)
    yield chunk.subarray(0, slice.length)
  }
}
