/**
 * Decides which paused work continues next: a work of the owner for whom the least time was spent, and among its works the
 * one that paused first. An owner with many works slows the others down no more than an owner with one.
 *
 * An owner with few requests is ahead of one with many, but by no more than a credit: unused time cannot be saved up to keep
 * others waiting. Nor is an owner behind by more than a credit because it used time that no other owner wanted.
 */

export class FairTurns {
  readonly #owners = new Map<string, Owner>()
  /** The owners with paused works. */
  readonly #waiting = new Set<Owner>()
  /** The time spent for the owner with the latest turn. Owners that come back begin within a credit of it. */
  #reachedMs = 0
  #forgetAt = MOST_OWNERS

  get hasPaused(): boolean {
    return this.#waiting.size > 0
  }

  /** Notes that time was spent for the owner. */
  charge(owner: string, milliseconds: number): void {
    this.#ownerOf(owner).spentMs += milliseconds
  }

  pause(owner: string, goOn: () => void): void {
    const found = this.#ownerOf(owner)
    found.paused.push(goOn)
    this.#waiting.add(found)
  }

  /** Resumes the work that continues next; undefined when no work is paused. */
  next(): (() => void) | undefined {
    let first: Owner | undefined
    for (const owner of this.#waiting) {
      if (first === undefined || owner.spentMs < first.spentMs) first = owner
    }
    if (first === undefined) return undefined
    this.#reachedMs = Math.max(this.#reachedMs, first.spentMs)
    const goOn = first.paused.shift()
    this.#waiting.delete(first)
    // Added again at the end: behind owners for whom as much time was spent.
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

  /** Forgets the owners that would begin where new owners begin. */
  #forget(leastMs: number): void {
    for (const [name, owner] of this.#owners) {
      if (owner.paused.length === 0 && owner.spentMs <= leastMs) this.#owners.delete(name)
    }
    // So that going through all owners costs little per new owner.
    this.#forgetAt = Math.max(MOST_OWNERS, 2 * this.#owners.size)
  }
}

type Owner = {
  spentMs: number
  /** The work that has been paused longest is first. */
  readonly paused: (() => void)[]
}

/** As long as a heavy page of a large client takes. */
const CREDIT_MS = 100

/** How many owners are remembered before some are forgotten. */
const MOST_OWNERS = 1000
