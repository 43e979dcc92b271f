/**
 * For engines that wait for a database instead of computing: they have to be told of a cancellation that only answers when
 * it is asked. Looking twenty times a second costs nothing beside a query, and no request pays for a listener.
 */
import type { Cancellation } from '../kernel/cancellation.ts'

const LOOK_EVERY_MS = 50

export type WatchedCancellation = {
  readonly signal: AbortSignal
  /** Ends the watch. */
  readonly release: () => void
}

export function watchCancellation(cancellation: Cancellation): WatchedCancellation {
  if (cancellation instanceof AbortSignal) return { signal: cancellation, release: () => undefined }
  const controller = new AbortController()
  const look = () => {
    if (!cancellation.aborted) return
    release()
    controller.abort(cancellation.reason ?? new Error('The work was cancelled'))
  }
  const timer = setInterval(look, LOOK_EVERY_MS).unref()
  const release = () => clearInterval(timer)
  look()
  return { signal: controller.signal, release }
}
