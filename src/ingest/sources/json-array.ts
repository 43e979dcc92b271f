/**
 * Turns a JSON file into lines: a file that begins with `[` is an array, whose elements become one line each; any other file
 * has lines already. An array that is cut off, or that lacks an element between two commas, is refused; faults inside an
 * element stay in its line, where they are found as in any other line.
 */

const LF = 10
const CR = 13
const TAB = 9
const SPACE = 32
const QUOTE = 34
const COMMA = 44
const BACKSLASH = 92
/** A control character that no line may contain: it makes the line of an element with a line end inside a text malformed. */
const BROKEN_LINE = 1
/** Braces and square brackets differ in one bit. */
const BRACKET_BIT = 32
const OPENING = 123
const CLOSING = 125
const OPEN_ARRAY = 91

export async function* jsonLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let lines: ArrayLines | 'given' | undefined
  for await (const chunk of chunks) {
    lines ??= linesBeginningWith(chunk)
    if (lines === undefined || lines === 'given') yield chunk
    else yield lines.of(chunk)
  }
  if (lines instanceof ArrayLines) lines.end()
}

/** Undefined while the file has had blanks only. */
function linesBeginningWith(chunk: Buffer): ArrayLines | 'given' | undefined {
  const mark = chunk[0] === 0xef && chunk[1] === 0xbb && chunk[2] === 0xbf ? 3 : 0
  const first = chunk.subarray(mark).find((byte) => !isBlank(byte))
  if (first === undefined) return undefined
  return first === OPEN_ARRAY ? new ArrayLines() : 'given'
}

const isBlank = (byte: number): boolean => byte === SPACE || byte === LF || byte === CR || byte === TAB

/** Where the next byte is: before the array, at the beginning of an element, inside one, or after the array. */
type State = 'before' | 'element begins' | 'element' | 'after'

class ArrayLines {
  #state: State = 'before'
  #elements = 0
  /** Brackets that are open inside the current element. */
  #depth = 0
  #inText = false
  #escaped = false

  /** The bytes with line feeds for the commas of the array, and blanks for white space between values. */
  of(chunk: Buffer): Buffer {
    const lines = Buffer.allocUnsafe(chunk.length)
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] as number
      lines[at] = this.#inText ? this.#textByte(byte) : this.#plainByte(byte)
    }
    return lines
  }

  /** @throws Error when the array is not closed */
  end(): void {
    if (this.#state !== 'after') {
      throw new Error(
        `the array is not closed after element ${this.#elements}: the file may have been cut off`,
      )
    }
  }

  #textByte(byte: number): number {
    if (this.#escaped) this.#escaped = false
    else if (byte === BACKSLASH) this.#escaped = true
    else if (byte === QUOTE) this.#inText = false
    return byte === LF || byte === CR ? BROKEN_LINE : byte
  }

  #plainByte(byte: number): number {
    if (isBlank(byte)) return SPACE
    if (this.#state === 'after') throw new Error('there is text after the array')
    // A byte order mark, or the bracket that opens the array. The line feed says that the file is not empty.
    if (this.#state === 'before') {
      if (byte === OPEN_ARRAY) this.#state = 'element begins'
      return byte === OPEN_ARRAY ? LF : SPACE
    }
    const bracket = byte | BRACKET_BIT
    const closes = bracket === CLOSING && this.#depth === 0
    if (byte === COMMA && this.#depth === 0) return this.#ended('element begins')
    if (closes) return this.#ended('after')
    if (this.#state === 'element begins') {
      this.#state = 'element'
      this.#elements++
    }
    if (byte === QUOTE) this.#inText = true
    else if (bracket === OPENING) this.#depth++
    else if (bracket === CLOSING) this.#depth--
    return byte
  }

  /** An element ends; only an array without elements may close before one begins. */
  #ended(next: State): number {
    const missing = this.#state === 'element begins' && (next !== 'after' || this.#elements > 0)
    if (missing) throw new Error(`an element is missing after element ${this.#elements}`)
    this.#state = next
    return LF
  }
}
