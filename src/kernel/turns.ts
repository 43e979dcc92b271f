/**
 * Shares the event loop of a thread among its runs. Long work is done in slices, and after each slice the loop turns, so that
 * timers, messages and shorter runs get their time. One waiting slice continues in each turn: if all of them did, the turn
 * would be as long as all together. Owners take turns, and the slices of one owner continue in the order in which they asked:
 * however many runs of one endpoint wait, a run of another endpoint waits for only one of them.
 */

/** How long one slice may hold the thread. */
export const SLICE_MS = 5

/** Timers, such as the one that reports the thread alive, should not be later than this. */
const LONG_MS = 50

/** Milliseconds that slices have taken since the event loop turned. */
let held = 0
/** Whether a slice that had waited for its turn took them. */
let byWaiting = false
let isTurning = false
/** Waiting slices by owner; the owner whose turn is next comes first. */
const waiting = new Map<string, (() => void)[]>()

/** Resolves when the event loop has turned and it is this slice's turn. */
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

/** Whether the event loop should turn before more work is done. */
export const isTurnDue = (): boolean => held >= SLICE_MS

/** Counts work that was done without waiting for a turn. @param began its start by `performance.now()` */
export function heldSince(began: number): void {
  held += performance.now() - began
  if (held >= SLICE_MS) expectTurn()
}

/** To be called when a message has just arrived: the event loop has turned since the last slice that waited for its turn. */
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
    // The work that held the thread may have run just before this, in the same turn: timers have not run yet.
    byWaiting = false
    expectTurn()
    return
  }
  const next = takeNext()
  byWaiting = next !== undefined
  next?.()
  if (waiting.size > 0) expectTurn()
}
