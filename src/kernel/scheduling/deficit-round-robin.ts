/**
 * Shares a resource among owners that want different amounts of it: deficit round robin (Shreedhar and Varghese, 1995). In each
 * round every owner may use one quantum. What an item used is known only afterwards, so it is charged afterwards: an owner
 * that used more pays in later rounds. Unused quanta are not saved up.
 *
 * An owner that waits is served within a bounded number of calls of `next`, whatever the others do: each item costs at least
 * `leastCost`, and nobody owes more than `mostDebt`.
 */

export type DeficitOptions = {
  /** What each owner may use in one round. */
  readonly quantum: number
  /** What an item costs before it is known what it used. */
  readonly leastCost: number
  /** What an owner can owe at most. */
  readonly mostDebt: number
}

type Owner<Item> = {
  readonly name: string
  /** What it may still use; negative when it owes. As of the round. */
  credit: number
  round: number
  /** Served before the others of the same owner. */
  readonly urgent: Set<Item>
  readonly waiting: Set<Item>
}

export class DeficitRoundRobin<Item> {
  readonly #options: DeficitOptions
  readonly #owners = new Map<string, Owner<Item>>()
  /** The owners with waiting items, in the order in which they are served. */
  readonly #ring = new Set<Owner<Item>>()
  #round = 0
  #forgetAt = MOST_OWNERS

  constructor(options: DeficitOptions) {
    this.#options = options
  }

  get isEmpty(): boolean {
    return this.#ring.size === 0
  }

  /** @param isUrgent whether the item comes before other items of the same owner that are not urgent */
  add(name: string, item: Item, isUrgent = false): void {
    const owner = this.#ownerOf(name)
    if (isUrgent) owner.urgent.add(item)
    else owner.waiting.add(item)
    this.#ring.add(owner)
  }

  delete(name: string, item: Item): void {
    const owner = this.#owners.get(name)
    if (owner === undefined) return
    owner.urgent.delete(item)
    owner.waiting.delete(item)
    if (isIdle(owner)) this.#ring.delete(owner)
  }

  /** Counts what an owner has used. It counts only for owners that have waited lately: others have kept nobody waiting. */
  charge(name: string, cost: number): void {
    const owner = this.#owners.get(name)
    if (owner !== undefined) this.#pay(owner, cost)
  }

  /**
   * Takes the item that is served next; undefined when none may be.
   *
   * @param may whether an item may be served now; only the first item of each owner is asked for, so that items of one owner
   *   stay in order
   */
  next(may: (item: Item) => boolean = () => true): Item | undefined {
    // Rounds in which nobody is served only pay debts.
    let fewestRounds = Number.POSITIVE_INFINITY
    let first: Owner<Item> | undefined
    let item: Item | undefined
    for (const owner of this.#ring) {
      const rounds = this.#roundsUntilCredit(owner)
      if (rounds >= fewestRounds) continue
      const found = firstOf(owner, may)
      if (found === undefined) continue
      fewestRounds = rounds
      first = owner
      item = found
      if (rounds === 0) break
    }
    if (first === undefined || item === undefined) return undefined
    this.#round += fewestRounds
    this.#pay(first, this.#options.leastCost)
    first.urgent.delete(item)
    first.waiting.delete(item)
    // Owners with credit alternate, so that none waits for the whole quantum of another.
    this.#ring.delete(first)
    if (!isIdle(first)) this.#ring.add(first)
    return item
  }

  #roundsUntilCredit(owner: Owner<Item>): number {
    const credit = this.#creditOf(owner)
    return credit > 0 ? 0 : Math.floor(-credit / this.#options.quantum) + 1
  }

  #creditOf(owner: Owner<Item>): number {
    const { quantum } = this.#options
    owner.credit = Math.min(quantum, owner.credit + quantum * (this.#round - owner.round))
    owner.round = this.#round
    return owner.credit
  }

  #pay(owner: Owner<Item>, cost: number): void {
    const { quantum, mostDebt } = this.#options
    owner.credit = Math.min(quantum, Math.max(this.#creditOf(owner) - cost, -mostDebt))
  }

  #ownerOf(name: string): Owner<Item> {
    const known = this.#owners.get(name)
    if (known !== undefined) return known
    if (this.#owners.size >= this.#forgetAt) this.#forget()
    const owner = {
      name,
      credit: this.#options.quantum,
      round: this.#round,
      urgent: new Set<Item>(),
      waiting: new Set<Item>(),
    }
    this.#owners.set(name, owner)
    return owner
  }

  /** Forgets the owners that would begin like new ones. */
  #forget(): void {
    for (const [name, owner] of this.#owners) {
      if (!this.#ring.has(owner) && this.#creditOf(owner) === this.#options.quantum) this.#owners.delete(name)
    }
    // So that going through all owners costs little per new owner.
    this.#forgetAt = Math.max(MOST_OWNERS, 2 * this.#owners.size)
  }
}

const isIdle = <Item>({ urgent, waiting }: Owner<Item>): boolean => urgent.size === 0 && waiting.size === 0

function firstOf<Item>({ urgent, waiting }: Owner<Item>, may: (item: Item) => boolean): Item | undefined {
  for (const items of [urgent, waiting]) {
    const [item] = items
    if (item !== undefined && may(item)) return item
  }
  return undefined
}

/** How many owners are remembered before some are forgotten. */
const MOST_OWNERS = 1000
