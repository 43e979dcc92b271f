/**
 * Who holds the thread, and for how long. All runs of a thread share its event loop: what takes long is done in slices, and
 * after each of them the loop turns, so that timers, messages and shorter runs get theirs. One slice goes on in each turn:
 * if all that wait went on in the same turn, it would be as long as all of them together. Owners take turns, and the slices
 * of one owner go on in the order in which they asked: however many runs of one endpoint wait, another's waits for one.
 */

/** How long one slice may hold the thread. */
export const SLICE_MS = 5

/** Timers, such as the sign that the thread is alive, should not come later than that. */
const LONG_MS = 50

/** Milliseconds that slices have taken since the event loop turned. */
let held = 0
/** Whether they were taken by one that had waited for its turn. */
let byWaiting = false
let isTurning = false
/** By owner; the one whose turn is next comes first. */
const waiting = new Map<string, (() => void)[]>()

/** Done when the event loop has turned and nobody else comes first. */
export function turn(owner = ''): Promise<void> {
  return new Promise((resolve) => {
    const own = waiting.get(owner)
    if (own === undefined) waiting.set(owner, [resolve])
    else own.push(resolve)
    expectTurn()
  })
}

function takeNext(): (() => void) | undefined {
  for (const [owner, own] of waiting) {
    const next = own.shift()
    waiting.delete(owner)
    if (own.length > 0) waiting.set(owner, own)
    return next
  }
  return undefined
}

/** Whether others should have their turn before anything more is done. */
export const isTurnDue = (): boolean => held >= SLICE_MS

/** Counts what was done without a turn. @param began as `performance.now()` told it */
export function heldSince(began: number): void {
  held += performance.now() - began
  if (held >= SLICE_MS) expectTurn()
}

/** Something has just arrived: the event loop has turned since the last slice that had waited for that. */
export function arrived(): void {
  if (!byWaiting) return
  held = 0
  byWaiting = false
}

function expectTurn(): void {
  if (isTurning) return
  isTurning = true
  setImmediate(turned)
}

function turned(): void {
  isTurning = false
  const wasLong = held >= LONG_MS
  held = 0
  if (wasLong) {
    // What held the thread may have run just before this, in the same turn: timers have not had theirs yet.
    byWaiting = false
    expectTurn()
    return
  }
  const next = takeNext()
  byWaiting = next !== undefined
  next?.()
  if (waiting.size > 0) expectTurn()
}
