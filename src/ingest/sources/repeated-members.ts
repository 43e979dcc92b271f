/**
 * Finds the members of a line of JSON, and whether a column occurs twice: the same name again, or spellings that mean one column, such as
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

/** The members of a line, in their order. */
export type Members = {
  /** The column that occurs twice, or null. */
  readonly repeated: string | null
  /** The column that each name means, if any. */
  readonly columns: readonly (string | undefined)[]
}

export class RepeatedMembers {
  readonly #columns: ReadonlySet<string>
  /** For the names of a line, as written. */
  readonly #known = new Map<string, Members>()
  /** Where the values of the members begin that were looked at last. */
  readonly values: number[] = []

  /** @param columns the columns to look for, in lower case */
  constructor(columns: readonly string[]) {
    this.#columns = new Set(columns)
  }

  in(bytes: Buffer, start: number, end: number): Members {
    this.values.length = 0
    const names = writtenNames(bytes, start, end, this.values)
    const known = this.#known.get(names)
    if (known !== undefined) return known
    const members = this.#membersOf(names)
    if (this.#known.size === MOST_KNOWN) this.#known.clear()
    this.#known.set(names, members)
    return members
  }

  #membersOf(names: string): Members {
    const found = new Set<string>()
    let repeated: string | null = null
    const columns = (names === '' ? [] : names.split('\n')).map((written) => {
      const column = columnName(decoded(written))
      if (!this.#columns.has(column)) return undefined
      if (found.has(column)) repeated ??= column
      found.add(column)
      return column
    })
    return { repeated, columns }
  }
}

/**
 * The names of the outermost object with their quotes, as Latin-1 bytes, separated by line feeds, which no line contains.
 *
 * @param values receives where their values begin
 */
function writtenNames(bytes: Buffer, start: number, end: number, values: number[]): string {
  let names = ''
  let depth = 0
  let at = start
  while (at < end) {
    const byte = bytes[at] as number
    if (byte === QUOTE) {
      const after = afterString(bytes, at + 1, end)
      const colon = depth === 1 ? afterBlanks(bytes, after, end) : end
      if (colon < end && bytes[colon] === COLON) {
        // In valid JSON a colon follows names only.
        names += `${names === '' ? '' : '\n'}${bytes.toString('latin1', at, after)}`
        values.push(afterBlanks(bytes, colon + 1, end))
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
      const colon = depth === 1 ? afterBlanks(line, after, line.length) : line.length
      if (line[colon] === COLON) {
        isIgnored = !columns.has(columnName(decoded(line.toString('latin1', at, after))))
        value = colon + 1
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

function afterBlanks(bytes: Buffer, from: number, end: number): number {
  let at = from
  while (at < end && (bytes[at] === SPACE || bytes[at] === TAB)) at++
  return at
}

function decoded(written: string): string {
  const text = Buffer.from(written, 'latin1').toString()
  try {
    return String(JSON.parse(text))
  } catch {
    return text
  }
}
