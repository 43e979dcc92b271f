/**
 * A result -> the bytes of an answer in the format that was asked for. A page or a small collection becomes one body with
 * a known length; anything larger a stream that builds a chunk when the socket has room for it, so that a slow reader holds
 * a few chunks and a reader that left costs nothing more.
 */
import { type ChunkMemory, freshMemory, type ResultSet } from '../../engine/engine.ts'
import type { Answer } from '../../read/answer.ts'
import type { RecordFormat } from '../../schema/record-formats.ts'
import { jsonEnvelope } from '../json-body.ts'
import { ReusedMemory } from '../sending/chunk-memory.ts'

export type AnswerBody = PlainBody | StreamedBody

/** Not coded yet. */
export type PlainBody = {
  readonly kind: 'buffered'
  readonly byteLength: number
  readonly parts: readonly BodyPart[]
}

export type StreamedBody = {
  readonly kind: 'streamed'
  /** Once through. Each is built when it is asked for, in memory that has to be given back for that. */
  readonly chunks: Iterator<Uint8Array, void, undefined>
  readonly giveBack: (chunk: Uint8Array) => void
}

/** Text goes out as UTF-8. Parts are handed to the socket as they are, so that records are not copied once more. */
export type BodyPart = string | Uint8Array

/** Large enough that the cost per chunk vanishes, small enough to stay within a socket's buffers. */
const chunkBytes = 64 * 1024

/** Beyond these an answer is streamed. A page is bounded by its page size and worth a Content-Length. */
const bufferedCollectionBytes = 256 * 1024
const bufferedPageBytes = 1024 * 1024

/** Of the chunks of all answers of the thread, while nobody writes them. */
const reused = new ReusedMemory(2 ** 22)

export function answerBody(format: RecordFormat, answer: Answer, result: ResultSet): AnswerBody {
  const meta = answer.meta(result)
  const { head, tail } = format === 'json' ? jsonEnvelope(answer, result, meta) : noEnvelope
  const isPage = answer.version === 1 || meta?.pageSize !== undefined
  const limit = isPage ? bufferedPageBytes : bufferedCollectionBytes
  const parts: BodyPart[] = head === '' ? [] : [head]
  let byteLength = Buffer.byteLength(head) + tail.length

  // What is sent as a whole may be kept.
  let memory = freshMemory
  const take: ChunkMemory['take'] = (bytes) => memory.take(bytes)
  const chunks = result.chunks(format, chunkBytes, { take })[Symbol.iterator]()
  while (byteLength <= limit) {
    const next = chunks.next()
    if (next.done) {
      if (tail !== '') parts.push(tail)
      return { kind: 'buffered', byteLength, parts }
    }
    parts.push(next.value)
    byteLength += next.value.length
  }
  memory = reused
  const giveBack = (chunk: Uint8Array) => reused.give(chunk)
  return { kind: 'streamed', chunks: chunksOf(parts, chunks, tail), giveBack }
}

const noEnvelope = { head: '', tail: '' } as const

function* chunksOf(
  first: BodyPart[],
  rest: Iterator<Uint8Array>,
  tail: string,
): Generator<Uint8Array, void, undefined> {
  while (first.length > 0) {
    const part = first.shift() as BodyPart
    yield typeof part === 'string' ? Buffer.from(part) : part
  }
  yield* { [Symbol.iterator]: () => rest }
  if (tail !== '') yield Buffer.from(tail)
}
