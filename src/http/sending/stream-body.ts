/**
 * Writes chunks into a writable as fast as it takes them. A chunk is built when there is room for it, so that a slow reader
 * holds few chunks, and nothing more is built for a reader that left.
 */
import type { Writable } from 'node:stream'
import type { ChunkIterator, ChunkStep } from '../lists/answer-body.ts'

/** After this many bytes other requests get a turn: about 3 ms in the most expensive format. */
const bytesPerTurn = 512 * 1024

export type BodyStream = {
  readonly chunks: ChunkIterator
  /** Ended after the last chunk; destroyed when building one fails. */
  readonly sink: Writable
  readonly onChunk: (chunk: Uint8Array) => void
  /** The sink no longer needs the chunk's memory. Not called for chunks that are in flight when the sink is destroyed. */
  readonly onTaken: (chunk: Uint8Array) => void
  /** Called when building a chunk fails, or ending the iterator of chunks. */
  readonly onFailure: (cause: unknown) => void
}

export function streamBody({ chunks, sink, onChunk, onTaken, onFailure }: BodyStream): void {
  let thisTurn = 0
  const proceed = () => {
    while (!sink.destroyed) {
      if (thisTurn >= bytesPerTurn) {
        thisTurn = 0
        return void setImmediate(guarded)
      }
      const step = chunks.next()
      if (step instanceof Promise) return void step.then(takeLate, fail)
      if (!take(step)) return
    }
  }
  /** Writes a chunk. @returns whether the sink has room for another */
  const take = (step: ChunkStep): boolean => {
    if (step.done) {
      sink.end()
      return false
    }
    const chunk = step.value
    onChunk(chunk)
    thisTurn += chunk.length
    const hasRoom = sink.write(chunk, (error) => {
      if (!error) onTaken(chunk)
    })
    if (!hasRoom) sink.once('drain', guarded)
    return hasRoom
  }
  /** The reader may have left while the chunk was awaited. */
  const takeLate = (step: ChunkStep) => {
    if (!sink.destroyed && take(step)) guarded()
  }
  const fail = (cause: unknown) => {
    onFailure(cause)
    sink.destroy()
  }
  const guarded = () => {
    try {
      proceed()
    } catch (cause) {
      fail(cause)
    }
  }
  const end = () => void Promise.resolve(chunks.return?.()).catch(onFailure)
  if (sink.closed) end()
  else sink.once('close', end)
  guarded()
}
