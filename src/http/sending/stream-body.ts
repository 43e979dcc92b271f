/**
 * Chunks into a writable as fast as it takes them: one is built when there is room for it, so that a slow reader holds a
 * few of them and a reader that left costs nothing more.
 */
import type { Writable } from 'node:stream'
import type { ChunkIterator, ChunkStep } from '../lists/answer-body.ts'

/** So that a fast reader of a large export cannot keep the other requests waiting: about 3 ms in the dearest format. */
const bytesPerTurn = 512 * 1024

export type BodyStream = {
  readonly chunks: ChunkIterator
  /** Ended after the last chunk; destroyed when building one fails. */
  readonly sink: Writable
  readonly onChunk: (chunk: Uint8Array) => void
  /** The sink needs the chunk's memory no more. Not called for what was under way when the sink was destroyed. */
  readonly onTaken: (chunk: Uint8Array) => void
  /** Building a chunk failed, or ending what they are built from. */
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
  /** Whether to go on at once. */
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
  /** Nobody may be left to send to what was waited for. */
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
