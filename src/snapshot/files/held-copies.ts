/** Counts the copies of files that answers are being read from: their memory is in use even after the file was replaced. */

/** @template Holder a catalogue with all its readers */
export class HeldCopies<Holder> {
  readonly #held = new Map<number, { readonly bytes: number; readonly holders: Set<Holder> }>()
  readonly #isLoaded: (copy: number) => boolean

  /** @param isLoaded whether the copy is counted among the loaded files */
  constructor(isLoaded: (copy: number) => boolean) {
    this.#isLoaded = isLoaded
  }

  has(copy: number): boolean {
    return this.#held.has(copy)
  }

  /** Bytes that are in memory only because answers are being read from them. */
  get replacedBytes(): number {
    let total = 0
    for (const [copy, { bytes }] of this.#held) if (!this.#isLoaded(copy)) total += bytes
    return total
  }

  hold(copy: number, bytes: number, holder: Holder): void {
    const held = this.#held.get(copy) ?? { bytes, holders: new Set() }
    held.holders.add(holder)
    this.#held.set(copy, held)
  }

  /** @returns how many bytes this frees */
  release(copy: number, holder: Holder): number {
    const held = this.#held.get(copy)
    if (held === undefined || !held.holders.delete(holder) || held.holders.size > 0) return 0
    this.#held.delete(copy)
    return this.#isLoaded(copy) ? 0 : held.bytes
  }

  /** Releases all copies of a holder that has ended. @returns how many bytes this frees */
  leave(holder: Holder): number {
    return [...this.#held.keys()].reduce((freed, copy) => freed + this.release(copy, holder), 0)
  }
}
