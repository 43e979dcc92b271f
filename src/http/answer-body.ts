/**
 * A result -> the bytes of an answer in the format that was asked for. A page or a small collection becomes one body with
 * a known length; anything larger a stream that builds a chunk when the socket has room for it, so that a slow reader holds
 * a few chunks and a reader that left costs nothing more.
 */
import { Readable } from 'node:stream'
import type { ResultSet } from '../engine/engine.ts'
import type { Answer } from '../read/answer.ts'
import type { RecordFormat } from '../schema/record-formats.ts'
import { jsonEnvelope } from './json-body.ts'

export type AnswerBody = FinishedBody | StreamedBody

export type FinishedBody = {
  readonly kind: 'whole'
  readonly byteLength: number
  readonly parts: readonly BodyPart[]
}

export type StreamedBody = {
  readonly kind: 'streamed'
  /** May be called once; not calling it builds nothing more. */
  readonly open: (watch: Watch) => Readable
}

/** Text goes out as UTF-8. Parts are handed to the socket as they are, so that records are not copied once more. */
export type BodyPart = string | Uint8Array

type Watch = {
  readonly onPull: (bytes: number) => void
  /** Building a chunk failed. */
  readonly onFailure: (cause: unknown) => void
}

/** Large enough that the cost per chunk vanishes, small enough to stay within a socket's buffers. */
const chunkBytes = 64 * 1024

/** Beyond these an answer is streamed. A page is bounded by its page size and worth a Content-Length. */
const wholeCollectionBytes = 256 * 1024
const wholePageBytes = 1024 * 1024

/** So that a fast reader of a large export cannot keep the other requests waiting: about 3 ms in the dearest format. */
const bytesPerTurn = 512 * 1024

export function answerBody(format: RecordFormat, answer: Answer, result: ResultSet): AnswerBody {
  const meta = answer.meta(result)
  const { head, tail } = format === 'json' ? jsonEnvelope(answer, result, meta) : noEnvelope
  const isPage = answer.version === 1 || meta?.pageSize !== undefined
  const limit = isPage ? wholePageBytes : wholeCollectionBytes
  const parts: BodyPart[] = head === '' ? [] : [head]
  let byteLength = Buffer.byteLength(head) + tail.length

  const chunks = result.chunks(format, chunkBytes)[Symbol.iterator]()
  while (byteLength <= limit) {
    const next = chunks.next()
    if (next.done) {
      if (tail !== '') parts.push(tail)
      return { kind: 'whole', byteLength, parts }
    }
    parts.push(next.value)
    byteLength += next.value.length
  }
  return { kind: 'streamed', open: (watch) => pulled(partsOf(parts, chunks, tail), watch) }
}

const noEnvelope = { head: '', tail: '' } as const

function* partsOf(first: BodyPart[], rest: Iterator<Uint8Array>, tail: string): Generator<Uint8Array> {
  while (first.length > 0) {
    const part = first.shift() as BodyPart
    yield typeof part === 'string' ? Buffer.from(part) : part
  }
  yield* { [Symbol.iterator]: () => rest }
  if (tail !== '') yield Buffer.from(tail)
}

/** A stream that takes a chunk only when it is asked for one, and lets the event loop turn now and then. */
function pulled(chunks: Generator<Uint8Array>, { onPull, onFailure }: Watch): Readable {
  let thisTurn = 0
  const pull = (stream: Readable) => {
    try {
      const next = chunks.next()
      if (next.done) return void stream.push(null)
      thisTurn += next.value.length
      onPull(next.value.length)
      stream.push(next.value)
    } catch (cause) {
      onFailure(cause)
      stream.destroy(cause instanceof Error ? cause : new Error('Building a chunk failed', { cause }))
    }
  }
  return new Readable({
    highWaterMark: chunkBytes,
    read() {
      if (thisTurn < bytesPerTurn) return pull(this)
      thisTurn = 0
      setImmediate(() => {
        if (!this.destroyed) pull(this)
      })
    },
    destroy(error, done) {
      chunks.return(undefined)
      done(error)
    },
  })
}
