/**
 * Turns a cancellation that must be polled into an AbortSignal, for engines that wait for a database instead of computing.
 * Polling twenty times a second costs nothing compared with a query, and no request pays for a listener.
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
