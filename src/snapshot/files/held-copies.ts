/** Which copies of files are being read by whom, as far as their memory has to be reckoned with: for those who hold the files. */

/** @template Holder a catalogue and all that read from it */
export class HeldCopies<Holder> {
  readonly #held = new Map<number, { readonly bytes: number; readonly holders: Set<Holder> }>()
  readonly #isLoaded: (copy: number) => boolean

  /** @param isLoaded whether it is counted with the files that are loaded */
  constructor(isLoaded: (copy: number) => boolean) {
    this.#isLoaded = isLoaded
  }

  has(copy: number): boolean {
    return this.#held.has(copy)
  }

  /** What is in memory only because answers are being read from it. */
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

  /** @returns how many bytes are free by that */
  release(copy: number, holder: Holder): number {
    const held = this.#held.get(copy)
    if (held === undefined || !held.holders.delete(holder) || held.holders.size > 0) return 0
    this.#held.delete(copy)
    return this.#isLoaded(copy) ? 0 : held.bytes
  }

  /** The holder is no more, and its readers neither. @returns how many bytes are free by that */
  leave(holder: Holder): number {
    return [...this.#held.keys()].reduce((freed, copy) => freed + this.release(copy, holder), 0)
  }
}
