/**
 * Turns a result into the bytes of an answer in the requested format. A page or a small collection becomes one body with a
 * known length. Anything larger becomes a stream that builds a chunk when the socket has room for it, so that a slow reader
 * holds few chunks, and nothing more is built for a reader that left.
 */
import { type ChunkMemory, freshMemory } from '../../engine/writers/chunk-room.ts'
import type { Chunks, WritableRecords } from '../../engine/writers/write-records.ts'
import type { Answer } from '../../read/answer.ts'
import type { RecordFormat } from '../../schema/record-formats.ts'
import { jsonEnvelope } from '../json-body.ts'
import { ReusedMemory } from '../sending/chunk-memory.ts'

export type AnswerBody = PlainBody | StreamedBody

/** A body of known length, not compressed yet. */
export type PlainBody = {
  readonly kind: 'buffered'
  readonly byteLength: number
  readonly parts: readonly BodyPart[]
}

export type StreamedBody = {
  readonly kind: 'streamed'
  /** Can be read once. Each chunk is built on demand, in memory that {@link release} makes available again. */
  readonly chunks: ChunkIterator
  readonly release: (chunk: Uint8Array) => void
}

export type ChunkStep = IteratorResult<Uint8Array, unknown>

/** An iterator, synchronous where possible: a chunk for which the engine must be awaited is a promise. */
export interface ChunkIterator {
  next(): ChunkStep | Promise<ChunkStep>
  /** Ends the iteration early. */
  return?(): unknown
}

/** Text is sent as UTF-8. Parts are passed to the socket as they are, so that records are not copied again. */
export type BodyPart = string | Uint8Array

/** Large enough that the cost per chunk vanishes, small enough to stay within a socket's buffers. */
const chunkBytes = 64 * 1024

/**
 * Longer answers are streamed. To a lone caller, a stream of half a megabyte takes 2 ms more than a body, and has no
 * Content-Length (docs/decisions/0058-what-changed.md).
 */
const bufferedBytes = 1024 * 1024

/** Memory of chunks that is free for reuse, shared by all answers of the thread. */
const reused = new ReusedMemory(2 ** 22)

/** A promise only when the engine has to be awaited. */
export function answerBody(
  format: RecordFormat,
  answer: Answer,
  result: WritableRecords,
): AnswerBody | Promise<AnswerBody> {
  const meta = answer.meta(result)
  const { head, tail } = format === 'json' ? jsonEnvelope(answer, result, meta) : noEnvelope
  const parts: BodyPart[] = head === '' ? [] : [head]
  let byteLength = Buffer.byteLength(head) + tail.length

  // A buffered body may be cached, so its memory is not reused.
  let memory = freshMemory
  const take: ChunkMemory['take'] = (bytes) => memory.take(bytes)
  const chunks = iteratorOf(result.chunks(format, chunkBytes, { take }))
  const collect = (): AnswerBody | Promise<AnswerBody> => {
    while (byteLength <= bufferedBytes) {
      const step = chunks.next()
      if (step instanceof Promise) return step.then((late) => wholeAfter(late) ?? collect())
      const whole = wholeAfter(step)
      if (whole !== null) return whole
    }
    memory = reused
    const release = (chunk: Uint8Array) => reused.release(chunk)
    return { kind: 'streamed', chunks: new BodyChunks(parts, chunks, tail), release }
  }
  const wholeAfter = (step: ChunkStep): PlainBody | null => {
    if (step.done) {
      if (tail !== '') parts.push(tail)
      return { kind: 'buffered', byteLength, parts }
    }
    parts.push(step.value)
    byteLength += step.value.length
    return null
  }
  return collect()
}

const noEnvelope = { head: '', tail: '' } as const

const iteratorOf = (chunks: Chunks): ChunkIterator =>
  Symbol.asyncIterator in chunks ? chunks[Symbol.asyncIterator]() : chunks[Symbol.iterator]()

/** The parts that are already built, then the remaining chunks, then the tail. */
class BodyChunks implements ChunkIterator {
  readonly #built: BodyPart[]
  readonly #rest: ChunkIterator
  #tail: string

  constructor(built: BodyPart[], rest: ChunkIterator, tail: string) {
    this.#built = built
    this.#rest = rest
    this.#tail = tail
  }

  next(): ChunkStep | Promise<ChunkStep> {
    const part = this.#built.shift()
    if (part !== undefined) return { done: false, value: typeof part === 'string' ? Buffer.from(part) : part }
    const step = this.#rest.next()
    return step instanceof Promise ? step.then(this.#orTail) : this.#orTail(step)
  }

  return(): unknown {
    return this.#rest.return?.()
  }

  /** After the tail, the ended iterator reports its end once more. */
  readonly #orTail = (step: ChunkStep): ChunkStep => {
    if (!step.done || this.#tail === '') return step
    const value = Buffer.from(this.#tail)
    this.#tail = ''
    return { done: false, value }
  }
}
