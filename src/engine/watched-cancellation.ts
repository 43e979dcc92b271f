/**
 * Notices cancellations that must be polled, for engines that wait for a database instead of computing. One timer looks at all
 * of them twenty times a second, so that a request costs neither a timer nor a listener.
 */
import type { Cancellation } from '../kernel/cancellation.ts'

const LOOK_EVERY_MS = 50

type Watched = {
  readonly cancellation: Cancellation
  readonly act: () => void
  /** Where it is in the list; -1 when it is watched no more. */
  place: number
}

/**
 * A list and not a set: when V8 rehashes a set, the old table keeps its entries and stays linked to the new one. Once the collector
 * has promoted a table, every later request would outlive the young generation.
 */
const watched: Watched[] = []
let timer: NodeJS.Timeout | undefined

/** Calls `act` once, soon after the cancellation, unless the watch ended before. @returns a function that ends the watch */
export function whenCancelled(cancellation: Cancellation, act: () => void): () => void {
  const entry = { cancellation, act, place: watched.length }
  watched.push(entry)
  timer ??= setInterval(look, LOOK_EVERY_MS).unref()
  return () => unwatch(entry)
}

/** The last one takes its place. */
function unwatch(entry: Watched): void {
  const { place } = entry
  if (place === -1) return
  entry.place = -1
  const last = watched.pop()
  if (last === undefined || last === entry) return
  watched[place] = last
  last.place = place
}

function look(): void {
  for (const entry of watched.filter(({ cancellation }) => cancellation.aborted)) {
    unwatch(entry)
    entry.act()
  }
  if (watched.length > 0) return
  clearInterval(timer)
  timer = undefined
}

/** @throws the reason of the cancellation when it has happened */
export function throwIfCancelled(cancellation: Cancellation | undefined): void {
  if (cancellation?.aborted) throw reasonOf(cancellation)
}

export const reasonOf = ({ reason }: Cancellation): unknown => reason ?? new Error('The work was cancelled')
