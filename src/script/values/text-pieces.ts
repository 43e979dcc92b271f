/** Puts a long text together from many short pieces. */

/** So many are joined at a time: a piece in a list, or one added to a growing text, takes more room than its characters. */
const PIECES_AT_A_TIME = 4096

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
