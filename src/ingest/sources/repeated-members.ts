/**
 * Finds lines of JSON in which a column occurs twice: the same name again, or spellings that mean one column, such as
 * `client_number`, `CLIENT_NUMBER` and `client\u005fnumber`. Which of the values is meant nobody can say, and each program
 * would take another one. Broken JSON is left to the database.
 */
import { afterString } from './json-lines.ts'
import { columnName } from './match-columns.ts'

const TAB = 9
const SPACE = 32
const QUOTE = 34
const COLON = 58
/** Of a bracket as well, but for one bit. */
const OPENING = 123
const CLOSING = 125
const BRACKET_BIT = 32

/** Lines of one file have their members in few orders; more of them than this are looked at anew each time. */
const MOST_KNOWN = 10_000

export class RepeatedMembers {
  readonly #columns: ReadonlySet<string>
  /** By the names of a line as they are written: the column that occurs twice, or null. */
  readonly #known = new Map<string, string | null>()

  /** @param columns those that matter, in lower case */
  constructor(columns: readonly string[]) {
    this.#columns = new Set(columns)
  }

  /** The column that occurs twice in the object, or null. */
  in(bytes: Buffer, start: number, end: number): string | null {
    const names = writtenNames(bytes, start, end)
    const known = this.#known.get(names)
    if (known !== undefined) return known
    const repeated = this.#repeatedAmong(names)
    if (this.#known.size === MOST_KNOWN) this.#known.clear()
    this.#known.set(names, repeated)
    return repeated
  }

  #repeatedAmong(names: string): string | null {
    const found = new Set<string>()
    for (const written of names === '' ? [] : names.split('\n')) {
      const column = columnName(decoded(written))
      if (!this.#columns.has(column)) continue
      if (found.has(column)) return column
      found.add(column)
    }
    return null
  }
}

/** The names of the outermost object with their quotes, byte by byte and one after another; no line holds a line feed. */
function writtenNames(bytes: Buffer, start: number, end: number): string {
  let names = ''
  let depth = 0
  let at = start
  while (at < end) {
    const byte = bytes[at] as number
    if (byte === QUOTE) {
      const after = afterString(bytes, at + 1, end)
      if (depth === 1 && isName(bytes, after, end)) {
        names += `${names === '' ? '' : '\n'}${bytes.toString('latin1', at, after)}`
      }
      at = after
    } else {
      const bracket = byte | BRACKET_BIT
      if (bracket === OPENING) depth++
      // What follows the object makes the line malformed, but not for its names.
      else if (bracket === CLOSING && --depth === 0) return names
      at++
    }
  }
  return names
}

/** In JSON that is not broken a colon follows names and nothing else. */
function isName(bytes: Buffer, from: number, end: number): boolean {
  let at = from
  while (at < end && (bytes[at] === SPACE || bytes[at] === TAB)) at++
  return at < end && bytes[at] === COLON
}

function decoded(written: string): string {
  const text = Buffer.from(written, 'latin1').toString()
  try {
    return String(JSON.parse(text))
  } catch {
    return text
  }
}
