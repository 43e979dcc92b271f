/**
 * Reads JSON (RFC 8259) into values of scripts. JSON.parse cannot do this: it moves keys that look like integers to the front,
 * and objects of JavaScript inherit keys. Refuses what JSON.parse refuses, and values nested too deeply.
 */
import { detachedString } from '../../kernel/detached-string.ts'
import { bytesInPlace, PLACE_BYTES } from './sizes.ts'
import type { JsonMaker, Value } from './value.ts'

export type { JsonMaker } from './value.ts'

/** A text that is not JSON. */
export class JsonFault extends Error {
  override readonly name: string = 'JsonFault'
  /** UTF-16 offset of the unexpected text. */
  readonly at: number

  constructor(message: string, at: number) {
    super(message)
    this.at = at
  }
}

/** A text with more different keys than may be read. */
export class TooManyKeys extends JsonFault {
  override readonly name: string = 'TooManyKeys'

  constructor(most: number, at: number) {
    super(`Expected at most ${most} different keys`, at)
  }
}

/** Levels of arrays and objects that `FromJson` accepts (language reference, 10.5). */
const USUAL_DEPTH = 64

type Cursor = {
  readonly text: string
  readonly maker: JsonMaker
  readonly largeNumbers: LargeNumbers
  /** Null where no limit can be exceeded. */
  readonly keys: { readonly known: Set<string>; readonly most: number } | null
  at: number
}

/** How numbers too large for a double, such as `1e400`, are read. */
type LargeNumbers = 'infinite' | 'refused'

type ReadOptions = {
  readonly maxDepth?: number
  readonly largeNumbers?: LargeNumbers
  /** The most different keys of all objects together. */
  readonly mostKeys?: number
}

/**
 * Keys keep their order; a repeated key keeps its first place and takes the last value. Numbers too large are infinite, unless
 * they are refused.
 * @throws JsonFault
 */
export function readJson(
  text: string,
  maker: JsonMaker,
  {
    maxDepth = USUAL_DEPTH,
    largeNumbers = 'infinite',
    mostKeys = Number.POSITIVE_INFINITY,
  }: ReadOptions = {},
): Value {
  maker.work(Math.ceil(text.length / 100))
  // A key takes at least four characters, as in "":1.
  const keys = text.length > 4 * mostKeys ? { known: new Set<string>(), most: mostKeys } : null
  const cursor = { text, maker, largeNumbers, keys, at: 0 }
  const value = readValue(cursor, maxDepth)
  if (skipSpace(cursor) !== END) throw unexpected(cursor, 'the end')
  return value
}

/** Stands for the unit behind the end of the text. The NaN of charCodeAt could not be compared. */
const END = -1
const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const MINUS = 0x2d
const POINT = 0x2e
const ZERO = 0x30
const NINE = 0x39

/** Skips spaces, tabs and line ends; returns the next unit. */
function skipSpace(cursor: Cursor): number {
  const { text } = cursor
  let { at } = cursor
  let unit = text.charCodeAt(at)
  while (unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09) unit = text.charCodeAt(++at)
  cursor.at = at
  return at < text.length ? unit : END
}

function readValue(cursor: Cursor, depth: number): Value {
  const unit = skipSpace(cursor)
  switch (unit) {
    case QUOTE:
      return cursor.maker.text(detachedString(readText(cursor)))
    case 0x7b: // {
      return readObject(cursor, depth)
    case 0x5b: // [
      return readArray(cursor, depth)
    case 0x74: // t
      return readWord(cursor, 'true', true)
    case 0x66: // f
      return readWord(cursor, 'false', false)
    case 0x6e: // n
      return readWord(cursor, 'null', null)
  }
  if (unit === MINUS || isDigit(unit)) return readNumber(cursor)
  throw unexpected(cursor, 'a value')
}

function readWord<Word extends Value>(cursor: Cursor, word: string, value: Word): Word {
  if (!cursor.text.startsWith(word, cursor.at)) throw unexpected(cursor, 'a value')
  cursor.at += word.length
  return value
}

function readArray(cursor: Cursor, depth: number): Value {
  const { maker } = cursor
  enter(cursor, depth)
  const items: Value[] = []
  // The array that is made of them counts them again.
  let counted = 0
  if (skipSpace(cursor) === CLOSE_ARRAY) cursor.at++
  else {
    do {
      maker.work(1)
      items.push(readValue(cursor, depth - 1))
      if (items.length % ITEMS_PER_COUNT !== 0) continue
      const bytes = bytesOfLatest(items)
      counted += bytes
      maker.allocate(bytes)
    } while (goesOn(cursor, CLOSE_ARRAY))
  }
  maker.allocate(-counted)
  return maker.array(items)
}

/** Elements that are counted together before the array is complete: their texts and arrays are counted, and their places are not. */
const ITEMS_PER_COUNT = 4096

function bytesOfLatest(items: readonly Value[]): number {
  let bytes = PLACE_BYTES * ITEMS_PER_COUNT
  for (let i = items.length - ITEMS_PER_COUNT; i < items.length; i++) bytes += bytesInPlace(items[i])
  return bytes
}

function readObject(cursor: Cursor, depth: number): Value {
  const { maker } = cursor
  enter(cursor, depth)
  const object = maker.object()
  if (skipSpace(cursor) === CLOSE_OBJECT) cursor.at++
  else {
    do {
      maker.work(1)
      if (skipSpace(cursor) !== QUOTE) throw unexpected(cursor, 'a key')
      const key = readText(cursor)
      if (cursor.keys !== null) countKey(key, cursor.keys, cursor.at)
      if (skipSpace(cursor) !== COLON) throw unexpected(cursor, '":"')
      cursor.at++
      maker.set(object, key, readValue(cursor, depth - 1))
    } while (goesOn(cursor, CLOSE_OBJECT))
  }
  return object
}

function countKey(key: string, { known, most }: NonNullable<Cursor['keys']>, at: number): void {
  if (known.size === most && !known.has(key)) throw new TooManyKeys(most, at)
  known.add(key)
}

const CLOSE_ARRAY = 0x5d
const CLOSE_OBJECT = 0x7d

function enter(cursor: Cursor, depth: number): void {
  if (depth <= 0) throw new JsonFault('Nested too deeply', cursor.at)
  cursor.maker.work(1)
  cursor.at++
}

/** After an element: consumes a comma and returns true, or consumes the closing bracket and returns false. */
function goesOn(cursor: Cursor, close: number): boolean {
  const unit = skipSpace(cursor)
  if (unit !== COMMA && unit !== close) throw unexpected(cursor, `"," or "${String.fromCharCode(close)}"`)
  cursor.at++
  return unit === COMMA
}

/** Almost all texts have no escapes, so they are slices of the JSON, which must not stay in memory for them. */
function readText(cursor: Cursor): string {
  const { text } = cursor
  const start = cursor.at + 1
  let at = start
  for (let unit = text.charCodeAt(at); unit !== QUOTE; unit = text.charCodeAt(++at)) {
    if (unit === BACKSLASH) return readEscapedText(cursor, at)
    // The unit is NaN behind the end, where this comparison is false.
    if (!(unit >= 0x20)) throw unexpected({ ...cursor, at }, 'a character or an escape')
  }
  cursor.at = at + 1
  return text.slice(start, at)
}

/** Finds the end of a text with escapes; JSON.parse reads the text. */
function readEscapedText(cursor: Cursor, firstEscape: number): string {
  const { text } = cursor
  let end = firstEscape
  for (let unit = BACKSLASH; unit !== QUOTE; unit = text.charCodeAt(end)) {
    end += unit === BACKSLASH ? 2 : 1
    if (end >= text.length) throw unexpected({ ...cursor, at: text.length }, 'a quotation mark')
  }
  try {
    const read: string = JSON.parse(text.slice(cursor.at, end + 1))
    cursor.at = end + 1
    return read
  } catch {
    throw unexpected({ ...cursor, at: firstEscape }, 'a character or an escape')
  }
}

const isDigit = (unit: number): boolean => unit >= ZERO && unit <= NINE

/** A double holds every integer of this many digits exactly. */
const EXACT_DIGITS = 15

function readNumber(cursor: Cursor): number {
  const { text, at: start } = cursor
  const negative = text.charCodeAt(start) === MINUS
  const firstDigit = negative ? start + 1 : start
  let whole = 0
  let at = firstDigit
  for (let unit = text.charCodeAt(at); isDigit(unit); unit = text.charCodeAt(++at)) {
    whole = whole * 10 + unit - ZERO
  }
  const digits = at - firstDigit
  const next = text.charCodeAt(at)
  if (digits === 0 || (digits > 1 && text.charCodeAt(firstDigit) === ZERO)) {
    throw unexpected({ ...cursor, at: firstDigit }, 'a number')
  }
  if (next !== POINT && (next | 0x20) !== 0x65 && digits <= EXACT_DIGITS) {
    cursor.at = at
    return negative ? -whole : whole
  }
  if (next === POINT) at = skipDigits(cursor, at + 1)
  if ((text.charCodeAt(at) | 0x20) === 0x65) {
    const sign = text.charCodeAt(at + 1)
    at = skipDigits(cursor, sign === MINUS || sign === 0x2b ? at + 2 : at + 1)
  }
  cursor.at = at
  const read = Number(text.slice(start, at))
  if (cursor.largeNumbers === 'refused' && !Number.isFinite(read)) throw tooLarge(start)
  return read
}

/** Returns where the digits end; there must be at least one. */
function skipDigits(cursor: Cursor, start: number): number {
  let at = start
  while (isDigit(cursor.text.charCodeAt(at))) at++
  if (at === start) throw unexpected({ ...cursor, at }, 'a digit')
  return at
}

const tooLarge = (at: number): JsonFault =>
  new JsonFault(`Expected a number from -1.8e308 to 1.8e308 at character ${at}`, at)

const unexpected = ({ at }: { readonly at: number }, expected: string): JsonFault =>
  new JsonFault(`Expected ${expected} at character ${at}`, at)
