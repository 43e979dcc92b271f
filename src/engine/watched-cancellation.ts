/**
 * Notices cancellations that must be polled, for engines that wait for a database instead of computing. One timer looks at all
 * of them twenty times a second, so that a request costs neither a timer nor a listener.
 */
import type { Cancellation } from '../kernel/cancellation.ts'

const LOOK_EVERY_MS = 50

type Watched = { readonly cancellation: Cancellation; readonly act: () => void }

const watched = new Set<Watched>()
let timer: NodeJS.Timeout | undefined

/** Calls `act` once, soon after the cancellation, unless the watch ended before. @returns a function that ends the watch */
export function whenCancelled(cancellation: Cancellation, act: () => void): () => void {
  const entry = { cancellation, act }
  watched.add(entry)
  timer ??= setInterval(look, LOOK_EVERY_MS).unref()
  return () => watched.delete(entry)
}

function look(): void {
  for (const entry of watched) {
    if (!entry.cancellation.aborted) continue
    watched.delete(entry)
    entry.act()
  }
  if (watched.size > 0) return
  clearInterval(timer)
  timer = undefined
}

/** @throws the reason of the cancellation when it has happened */
export function throwIfCancelled(cancellation: Cancellation | undefined): void {
  if (cancellation?.aborted) throw reasonOf(cancellation)
}

export const reasonOf = ({ reason }: Cancellation): unknown => reason ?? new Error('The work was cancelled')
