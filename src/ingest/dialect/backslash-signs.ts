/**
 * Signs that the backslashes of a CSV file are escapes, which RFC 4180 does not know. They are signs only: a file with `\N`
 * for null may hold the text `C:\temp`, and the part of tomorrow may hold no sign. So nothing is read by them; the operator
 * states what is right.
 */
export type BackslashSigns = {
  /** A field that is `\N` and no more. */
  readonly nulls: boolean
  /** What databases write for a character: `\\`, `\"`, `\t` and the like. */
  readonly escapes: boolean
  /** What they never write, such as `\d`: then backslashes are characters. */
  readonly others: boolean
  /** A line that is malformed, and may not be when its backslashes are escapes. */
  readonly malformed: boolean
}

const BACKSLASH = 92
const LETTER_N = 78
const ESCAPED: ReadonlySet<number> = new Set(Buffer.from('\\"\'0btnvfr'))

export class BackslashSearch implements BackslashSigns {
  readonly #separator: number
  #bytes: Buffer | undefined
  /** Where the next backslash of these bytes is. */
  #next = -1
  nulls = false
  escapes = false
  others = false
  malformed = false

  constructor(delimiter: string) {
    this.#separator = delimiter.charCodeAt(0)
  }

  /** A record and its line end, in the order of the buffer. */
  record(bytes: Buffer, start: number, end: number): void {
    if (this.#next < start || this.#bytes !== bytes) this.#next = placeFrom(bytes, start)
    this.#bytes = bytes
    while (this.#next < end) {
      const at = this.#next
      const byte = (at + 1 < end ? bytes[at + 1] : undefined) ?? 0
      if (byte === LETTER_N && this.#isField(bytes, at, start, end)) this.nulls = true
      else if (ESCAPED.has(byte)) this.escapes = true
      else if (!this.#mayEnd(byte)) this.others = true
      this.#next = placeFrom(bytes, at + 2)
    }
  }

  /** @returns whether the line may be well-formed when its backslashes are escapes */
  malformedLine(text: string): boolean {
    const delimiter = String.fromCharCode(this.#separator)
    const isSign = text.includes('\\"') || text.includes(`\\${delimiter}`) || text.endsWith('\\')
    this.malformed ||= isSign
    return isSign
  }

  /** The buffer is filled anew. */
  flush(): void {
    this.#next = -1
  }

  /** A backslash before the end of a value or a line is none of both. */
  #mayEnd(byte: number): boolean {
    return byte === this.#separator || byte === 10 || byte === 13
  }

  #isField(bytes: Buffer, at: number, start: number, end: number): boolean {
    const isStart = at === start || bytes[at - 1] === this.#separator
    const after = at + 2 >= end ? 10 : bytes[at + 2]
    return isStart && this.#mayEnd(after ?? 0)
  }
}

function placeFrom(bytes: Buffer, from: number): number {
  const at = bytes.indexOf(BACKSLASH, from)
  return at < 0 ? Number.POSITIVE_INFINITY : at
}

/** Whether the files of a table seem to have backslashes as escapes. */
export function areEscapesLikely(files: readonly BackslashSigns[]): boolean {
  const has = (sign: keyof BackslashSigns) => files.some((file) => file[sign])
  return has('malformed') || (has('nulls') && has('escapes') && !has('others'))
}

/** The advice to state whether backslashes are escapes. */
export const stateEscape = (table: string): string =>
  `State in a file tripfolio.sql in the folder of the extract SET VARIABLE escape_${table} = '\\' if backslashes are escapes, or '"' if they are characters`
