/**
 * Tracks the readers of answers that are being sent, by the copy of the file that the answer is read from: a copy stays in
 * memory until its last reader has ended, even when the file was replaced. The holder of the files learns of the first reader
 * of a copy and of the end of the last one.
 */
import type { Copy, Reader } from './collection-files.ts'

export type HoldCopies = {
  readonly hold: (copy: number, bytes: number) => void
  readonly release: (copy: number) => void
}

export class Readers {
  readonly #holdCopies: HoldCopies
  readonly #readers = new Map<number, Set<Reader>>()

  constructor(holdCopies: HoldCopies) {
    this.#holdCopies = holdCopies
  }

  /** @returns a function to call when the answer has ended */
  readonly hold = ({ copy, bytes }: Copy, reader: Reader): (() => void) => {
    const own = { ...reader }
    const readers = this.#readers.get(copy) ?? new Set()
    this.#readers.set(copy, readers.add(own))
    if (readers.size === 1) this.#holdCopies.hold(copy, bytes.byteLength)
    return () => {
      if (!readers.delete(own) || readers.size > 0) return
      this.#readers.delete(copy)
      this.#holdCopies.release(copy)
    }
  }

  /** Ends the answers whose readers have taken nothing for this long. */
  readonly cutOff = (stalledMs: number): void => {
    for (const readers of [...this.#readers.values()]) {
      for (const reader of [...readers]) if (reader.stalledFor() >= stalledMs) reader.cutOff()
    }
  }
}
