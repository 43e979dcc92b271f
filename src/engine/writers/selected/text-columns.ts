/** Finds the texts of a column as JSON. */
import type { EncodedTexts } from '../../encoded-records.ts'
import type { ByteWriter } from '../byte-writer.ts'
import { isWorthKeeping } from '../encoded-texts.ts'
import { type Around, BlockPieces, LATE, type ValueColumn } from './blocks.ts'
import { newTexts, pieceWriter, TextPieces } from './text-pieces.ts'

/**
 * @param none what a row without a text has
 * @param rowCount how many rows will be written in all
 */
export const textColumn = (
  column: EncodedTexts,
  around: Around,
  none: string,
  rowCount: number,
): ValueColumn =>
  isWorthKeeping(column, rowCount) ? keptTexts(column, around, none) : freshTexts(column, around, none)

/** Bytes of texts that a column keeps; a slow reader would hold more for as long as it reads. */
const MOST_KEPT_BYTES = 2 ** 22

/** Texts that come often: each is encoded once. */
function keptTexts(column: EncodedTexts, around: Around, none: string): ValueColumn {
  const { codes, dictionary } = column
  const encode = encoderOf(column, around, none)
  const kept = new TextPieces(dictionary.size + 1)
  const pieces = new BlockPieces()
  pieces.late = (code, to) => to.text(encode(code))
  return {
    pieces,
    find(rows, count) {
      const { begins, byteLengths } = pieces.begin(count)
      for (let place = 0; place < count; place++) {
        const code = codes[rows[place]!]!
        if (kept.begins[code]! < 0 && kept.byteLength < MOST_KEPT_BYTES) kept.add(code, encode(code))
        const begin = kept.begins[code]!
        begins[place] = begin < 0 ? code : begin
        byteLengths[place] = begin < 0 ? LATE : kept.byteLengths[code]!
      }
      pieces.source = kept.source()
    },
  }
}

const encoderOf =
  ({ dictionary }: EncodedTexts, { ahead, behind }: Around, none: string) =>
  (code: number): string =>
    code === dictionary.size ? none : `${ahead}${JSON.stringify(dictionary.text(code))}${behind}`

/** Texts that come once: those of a block are gathered, and then forgotten. */
function freshTexts(column: EncodedTexts, around: Around, none: string): ValueColumn {
  const { codes, dictionary } = column
  const { size, utf8 } = dictionary
  const encode = encoderOf(column, around, none)
  const copy = utf8 === undefined ? () => false : plainCopier(utf8, around)
  const texts = newTexts()
  texts.text(none)
  const noneBytes = texts.length
  const pieces = new BlockPieces()
  pieces.late = (code, to) => to.text(encode(code))
  return {
    pieces,
    find(rows, count) {
      const { begins, byteLengths } = pieces.begin(count)
      texts.length = noneBytes
      for (let place = 0; place < count; place++) {
        const code = codes[rows[place]!]!
        const begin = texts.length
        if (code === size) {
          begins[place] = 0
          byteLengths[place] = noneBytes
        } else if (copy(code, texts)) {
          begins[place] = begin
          byteLengths[place] = texts.length - begin
        } else {
          begins[place] = code
          byteLengths[place] = LATE
        }
      }
      pieces.source = texts.asSource()
    },
  }
}

/** A block of longer texts would take much memory. */
const MOST_GATHERED_BYTES = 256

const QUOTE = 0x22
const BACKSLASH = 0x5c
const FIRST_PRINTABLE = 0x20

/** Copies a text between quotes. False, with nothing written, when it is long or has a character that JSON escapes. */
function plainCopier(
  { bytes: source, offsets }: NonNullable<EncodedTexts['dictionary']['utf8']>,
  { ahead, behind }: Around,
): (code: number, to: ByteWriter) => boolean {
  const [open, close] = [pieceWriter(`${ahead}"`), pieceWriter(`"${behind}`)]
  return (code, to) => {
    const [begin, end] = [offsets[code]!, offsets[code + 1]!]
    if (end - begin > MOST_GATHERED_BYTES) return false
    const start = to.length
    open(to)
    to.reserve(end - begin)
    const { bytes } = to
    let at = to.length
    for (let from = begin; from < end; from++) {
      const byte = source[from]!
      if (byte < FIRST_PRINTABLE || byte === QUOTE || byte === BACKSLASH) {
        to.length = start
        return false
      }
      bytes[at++] = byte
    }
    to.length = at
    close(to)
    return true
  }
}
