/**
 * A result -> the bytes of its envelope (specification 2.6 and 2.9), members in the order of the documents. A page or a
 * small collection becomes one buffer with a known length; anything larger a stream that builds a chunk when the socket
 * has room for it, so that a slow reader holds a few chunks and a reader that left costs nothing more.
 */
import { Readable } from 'node:stream'
import type { ResultSet } from '../engine/engine.ts'
import type { Answer } from '../read/answer.ts'
import type { QueryMeta } from '../schema/shapes.ts'

type JsonBody =
  | { readonly kind: 'whole'; readonly byteLength: number; readonly parts: readonly BodyPart[] }
  /** `open` may be called once; not calling it builds nothing more. */
  | { readonly kind: 'streamed'; readonly open: (onPull: (bytes: number) => void) => Readable }

/** Text goes out as UTF-8. Parts are handed to the socket as they are, so that records are not copied once more. */
export type BodyPart = string | Uint8Array

/** Large enough that the cost per chunk vanishes, small enough to stay within a socket's buffers. */
const chunkBytes = 64 * 1024

/** Beyond these an answer is streamed. A page is bounded by its page size and worth a Content-Length. */
const wholeCollectionBytes = 256 * 1024
const wholePageBytes = 1024 * 1024

/** So that a fast reader of a large export cannot keep the other requests waiting. */
const bytesPerTurn = 1024 * 1024

export function jsonBody(answer: Answer, result: ResultSet): JsonBody {
  const meta = answer.meta(result)
  const head = headOf(answer, result)
  const tail = meta === null ? ']}' : `],"_meta":${metaJson(meta)}}`
  const isPage = answer.version === 1 || meta?.pageSize !== undefined
  const limit = isPage ? wholePageBytes : wholeCollectionBytes
  const parts: BodyPart[] = [head]
  let byteLength = Buffer.byteLength(head) + tail.length

  const chunks = result.jsonChunks(chunkBytes)[Symbol.iterator]()
  while (byteLength <= limit) {
    const next = chunks.next()
    if (next.done) {
      parts.push(tail)
      return { kind: 'whole', byteLength, parts }
    }
    parts.push(next.value)
    byteLength += next.value.length
  }
  return { kind: 'streamed', open: (onPull) => pulled(partsOf(parts, chunks, tail), onPull) }
}

/** What stands before the records: in version 1 nothing but the name of the array (specification 2.6 and 2.9). */
function headOf({ version, clientNumber, list }: Answer, { count }: ResultSet): string {
  if (version === 1) return '{"result":['
  return `{"clientNumber":${JSON.stringify(clientNumber)},"count":${count},"${list}":[`
}

/** Members in the order of the documents. */
function metaJson({ page, pageSize, total, totalPages, filteredCount }: QueryMeta): string {
  const totals = `"total":${total},`
  const paging =
    page === undefined ? totals : `"page":${page},"pageSize":${pageSize},${totals}"totalPages":${totalPages},`
  return `{${paging}"filteredCount":${filteredCount}}`
}

function* partsOf(first: BodyPart[], rest: Iterator<Uint8Array>, tail: string): Generator<Uint8Array> {
  while (first.length > 0) {
    const part = first.shift() as BodyPart
    yield typeof part === 'string' ? Buffer.from(part) : part
  }
  yield* { [Symbol.iterator]: () => rest }
  yield Buffer.from(tail)
}

/** A stream that takes a chunk only when it is asked for one, and lets the event loop turn now and then. */
function pulled(chunks: Generator<Uint8Array>, onPull: (bytes: number) => void): Readable {
  let thisTurn = 0
  const pull = (stream: Readable) => {
    try {
      const next = chunks.next()
      if (next.done) return void stream.push(null)
      thisTurn += next.value.length
      onPull(next.value.length)
      stream.push(next.value)
    } catch (cause) {
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
