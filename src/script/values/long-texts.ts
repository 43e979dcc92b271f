/** Long texts, cut into parts and put together from pieces, in no more memory than their characters take. */

/** Shorter parts are copied by the engine anyway. */
const LEAST_POINTING = 13

/** A part of a text at most so many times as long may as well keep it. */
const MOST_TIMES = 8

/**
 * JavaScript's engine cuts a part out by pointing into the whole text, which stays in memory for as long as the part does: a
 * small part of a large text is copied instead.
 */
export function partOfText(text: string, start: number, end: number = text.length): string {
  const part = text.slice(start, end)
  if (part.length < LEAST_POINTING || part.length * MOST_TIMES >= text.length) return part
  return Buffer.from(part, 'utf16le').toString('utf16le')
}

/** So many are joined at a time: a piece in a list, or one added to a growing text, takes more room than its characters. */
const PIECES_AT_A_TIME = 4096

/** Puts a long text together from many short pieces. */
export class TextPieces {
  readonly #chunks: string[] = []
  #pieces: string[] = []

  add(piece: string): void {
    this.#pieces.push(piece)
    if (this.#pieces.length < PIECES_AT_A_TIME) return
    this.#chunks.push(this.#pieces.join(''))
    this.#pieces = []
  }

  end(): string {
    return this.#chunks.join('') + this.#pieces.join('')
  }
}
