/**
 * Whose paused work goes on next? That of the owner for whom the least time was spent, and among its own works the one that
 * paused first. However many works an owner has, the others are not slower for it than for one.
 *
 * An owner who asks now and then is ahead of one who asks all the time, but by no more than a credit: time that somebody
 * did not use in the past cannot be saved up to keep others waiting. Nor is an owner behind by more than that for time that
 * nobody else wanted.
 */

export class FairTurns {
  readonly #owners = new Map<string, Owner>()
  /** Those with paused works. */
  readonly #waiting = new Set<Owner>()
  /** The time spent for the owner whose turn came last: those who come back begin at most a credit from it. */
  #reachedMs = 0
  #forgetAt = MOST_OWNERS

  get hasPaused(): boolean {
    return this.#waiting.size > 0
  }

  /** Time was spent for the owner. */
  charge(owner: string, milliseconds: number): void {
    this.#ownerOf(owner).spentMs += milliseconds
  }

  pause(owner: string, goOn: () => void): void {
    const found = this.#ownerOf(owner)
    found.paused.push(goOn)
    this.#waiting.add(found)
  }

  /** Of the work that goes on next; undefined when none is paused. */
  next(): (() => void) | undefined {
    let first: Owner | undefined
    for (const owner of this.#waiting) {
      if (first === undefined || owner.spentMs < first.spentMs) first = owner
    }
    if (first === undefined) return undefined
    this.#reachedMs = Math.max(this.#reachedMs, first.spentMs)
    const goOn = first.paused.shift()
    this.#waiting.delete(first)
    // Behind others for whom as much was spent.
    if (first.paused.length > 0) this.#waiting.add(first)
    return goOn
  }

  #ownerOf(name: string): Owner {
    const leastMs = this.#reachedMs - CREDIT_MS
    let owner = this.#owners.get(name)
    if (owner === undefined) {
      if (this.#owners.size >= this.#forgetAt) this.#forget(leastMs)
      owner = { spentMs: leastMs, paused: [] }
      this.#owners.set(name, owner)
    } else if (owner.paused.length === 0) {
      owner.spentMs = Math.min(Math.max(owner.spentMs, leastMs), this.#reachedMs + CREDIT_MS)
    }
    return owner
  }

  /** Owners who would begin where everybody begins. */
  #forget(leastMs: number): void {
    for (const [name, owner] of this.#owners) {
      if (owner.paused.length === 0 && owner.spentMs <= leastMs) this.#owners.delete(name)
    }
    // So that looking through all of them costs little for each that comes.
    this.#forgetAt = Math.max(MOST_OWNERS, 2 * this.#owners.size)
  }
}

type Owner = {
  spentMs: number
  /** The longest paused one first. */
  readonly paused: (() => void)[]
}

/** As much as a heavy page of a large client takes. */
const CREDIT_MS = 100

/** How many are remembered before those are forgotten who would begin anew anyway. */
const MOST_OWNERS = 1000
