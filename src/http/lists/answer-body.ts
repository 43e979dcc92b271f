/**
 * A result -> the bytes of an answer in the format that was asked for. A page or a small collection becomes one body with
 * a known length; anything larger a stream that builds a chunk when the socket has room for it, so that a slow reader holds
 * a few chunks and a reader that left costs nothing more.
 */
import { type ChunkMemory, freshMemory } from '../../engine/writers/chunk-room.ts'
import type { Chunks, WritableRecords } from '../../engine/writers/write-records.ts'
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
  readonly chunks: ChunkIterator
  readonly giveBack: (chunk: Uint8Array) => void
}

export type ChunkStep = IteratorResult<Uint8Array, unknown>

/** An iterator of either kind: a chunk that the engine has to be waited for comes as a promise, any other at once. */
export interface ChunkIterator {
  next(): ChunkStep | Promise<ChunkStep>
  /** Ends it early. */
  return?(): unknown
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

/** At once, unless the engine has to be waited for. */
export function answerBody(
  format: RecordFormat,
  answer: Answer,
  result: WritableRecords,
): AnswerBody | Promise<AnswerBody> {
  const meta = answer.meta(result)
  const { head, tail } = format === 'json' ? jsonEnvelope(answer, result, meta) : noEnvelope
  const isPage = answer.version === 1 || meta?.pageSize !== undefined
  const limit = isPage ? bufferedPageBytes : bufferedCollectionBytes
  const parts: BodyPart[] = head === '' ? [] : [head]
  let byteLength = Buffer.byteLength(head) + tail.length

  // What is sent as a whole may be kept.
  let memory = freshMemory
  const take: ChunkMemory['take'] = (bytes) => memory.take(bytes)
  const chunks = iteratorOf(result.chunks(format, chunkBytes, { take }))
  const collect = (): AnswerBody | Promise<AnswerBody> => {
    while (byteLength <= limit) {
      const step = chunks.next()
      if (step instanceof Promise) return step.then((late) => wholeAfter(late) ?? collect())
      const whole = wholeAfter(step)
      if (whole !== null) return whole
    }
    memory = reused
    const giveBack = (chunk: Uint8Array) => reused.give(chunk)
    return { kind: 'streamed', chunks: new BodyChunks(parts, chunks, tail), giveBack }
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

/** What was built already, then the chunks that are still to come, then the tail. */
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

  /** An iterator that has ended says so again when it is asked behind the tail. */
  readonly #orTail = (step: ChunkStep): ChunkStep => {
    if (!step.done || this.#tail === '') return step
    const value = Buffer.from(this.#tail)
    this.#tail = ''
    return { done: false, value }
  }
}
