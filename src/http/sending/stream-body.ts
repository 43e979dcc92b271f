/**
 * Chunks into a writable as fast as it takes them: one is built when there is room for it, so that a slow reader holds a
 * few of them and a reader that left costs nothing more.
 */
import type { Writable } from 'node:stream'

/** So that a fast reader of a large export cannot keep the other requests waiting: about 3 ms in the dearest format. */
const bytesPerTurn = 512 * 1024

export type BodyStream = {
  readonly chunks: Iterator<Uint8Array, void, undefined>
  /** Ended after the last chunk; destroyed when building one fails. */
  readonly sink: Writable
  readonly onChunk: (chunk: Uint8Array) => void
  /** The sink needs the chunk's memory no more. Not called for what was under way when the sink was destroyed. */
  readonly onTaken: (chunk: Uint8Array) => void
  /** Building a chunk failed. */
  readonly onFailure: (cause: unknown) => void
}

export function streamBody({ chunks, sink, onChunk, onTaken, onFailure }: BodyStream): void {
  let thisTurn = 0
  const proceed = () => {
    if (thisTurn >= bytesPerTurn) {
      thisTurn = 0
      setImmediate(guarded)
      return
    }
    while (!sink.destroyed) {
      const next = chunks.next()
      if (next.done) return void sink.end()
      const chunk = next.value
      onChunk(chunk)
      thisTurn += chunk.length
      const hasRoom = sink.write(chunk, (error) => {
        if (!error) onTaken(chunk)
      })
      if (!hasRoom) return void sink.once('drain', guarded)
      if (thisTurn >= bytesPerTurn) return guarded()
    }
  }
  const guarded = () => {
    try {
      proceed()
    } catch (cause) {
      onFailure(cause)
      sink.destroy()
    }
  }
  sink.once('close', () => chunks.return?.())
  guarded()
}
