/** Encoded texts that are written many times. */
import { BEYOND, ByteWriter } from '../byte-writer.ts'

/** Texts with numbers from 0 up to a count, one after another in memory in the order in which they were added. */
export class TextPieces {
  readonly #texts = newTexts()
  /** -1 for those that were not added. */
  readonly begins: Int32Array
  readonly byteLengths: Int32Array

  constructor(count: number) {
    this.begins = new Int32Array(count).fill(-1)
    this.byteLengths = new Int32Array(count)
  }

  add(piece: number, text: string): void {
    const begin = this.#texts.length
    this.#texts.text(text)
    this.begins[piece] = begin
    this.byteLengths[piece] = this.#texts.length - begin
  }

  /** Bytes of the texts that were added so far. */
  get byteLength(): number {
    return this.#texts.length
  }

  /** The texts that were added so far. */
  source(): DataView {
    return this.#texts.asSource()
  }
}

/** Room for the texts of a page, which costs nothing: it is a part of memory that Node.js has at hand. */
export const newTexts = (): ByteWriter => new ByteWriter(Buffer.allocUnsafe(1024))

/** Returns a function that writes the text. */
export function pieceWriter(text: string): (to: ByteWriter) => void {
  const byteLength = Buffer.byteLength(text)
  const texts = new ByteWriter(Buffer.allocUnsafe(byteLength + BEYOND))
  texts.length = texts.bytes.write(text)
  const source = texts.asSource()
  return (to) => to.piece(source, 0, byteLength)
}
