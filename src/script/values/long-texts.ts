/** Joins pieces to long texts, in no more memory than their characters take. */

/** Pieces are joined in groups: a piece in a list, or appended to a growing text, takes more memory than its characters. */
const PIECES_AT_A_TIME = 4096

/** Builds a long text from many short pieces. */
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
