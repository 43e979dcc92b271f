/**
 * Finds lines of JSON in which a column occurs twice: the same name again, or spellings that mean one column, such as
 * `client_number`, `CLIENT_NUMBER` and `client\u005fnumber`. It is unknown which of the values is right, and programs differ
 * in the one they use. The database finds broken JSON. Also takes the members out of a line that are no columns.
 */
import { afterString } from './json-lines.ts'
import { columnName } from './match-columns.ts'

const TAB = 9
const SPACE = 32
const QUOTE = 34
const COMMA = 44
const COLON = 58
/** Braces; square brackets differ from them in one bit, so both are recognised as one byte. */
const OPENING = 123
const CLOSING = 125
const BRACKET_BIT = 32

/** The lines of one file have their members in few orders; the memory is emptied when it has seen more than this. */
const MOST_KNOWN = 10_000

export class RepeatedMembers {
  readonly #columns: ReadonlySet<string>
  /** For the names of a line, as written: the column that occurs twice, or null. */
  readonly #known = new Map<string, string | null>()

  /** @param columns the columns to look for, in lower case */
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

/** The names of the outermost object with their quotes, as Latin-1 bytes, separated by line feeds, which no line contains. */
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
      // Text after the object makes the line malformed; the database finds that.
      else if (bracket === CLOSING && --depth === 0) return names
      at++
    }
  }
  return names
}

/** The line of an object with null for the members that are no columns. A line that is none stays as it is. */
export function withoutMembers(line: Buffer, columns: ReadonlySet<string>): Buffer {
  if (!isObject(line)) return line
  const kept: Buffer[] = []
  let [depth, from, value] = [0, 0, 0]
  let isIgnored = false
  for (let at = 0; at < line.length; ) {
    const byte = line[at] as number
    if (byte === QUOTE) {
      const after = afterString(line, at + 1, line.length)
      if (depth === 1 && isName(line, after, line.length)) {
        isIgnored = !columns.has(columnName(decoded(line.toString('latin1', at, after))))
        value = line.indexOf(COLON, after) + 1
      }
      at = after
      continue
    }
    const bracket = byte | BRACKET_BIT
    if (bracket === OPENING) depth++
    else if (bracket === CLOSING) depth--
    const endsMember = (depth === 1 && byte === COMMA) || (depth === 0 && bracket === CLOSING)
    if (endsMember && isIgnored) {
      kept.push(line.subarray(from, value), nothing)
      from = at
      isIgnored = false
    }
    at++
  }
  return Buffer.concat([...kept, line.subarray(from)])
}

const nothing = Buffer.from('null')

function isObject(line: Buffer): boolean {
  try {
    return /^\s*\{/.test(line.toString('latin1', 0, 100)) && typeof JSON.parse(line.toString()) === 'object'
  } catch {
    return false
  }
}

/** In valid JSON a colon follows names only. */
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
