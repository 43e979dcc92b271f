/**
 * Walks a value in the order in which it is written, step by step, so that the caller may pause in between. A part that occurs
 * several times is walked once; later its output is repeated. So the time grows with the number of parts and not with the
 * length of the output, which may be exponentially more (`a = [a, a]`).
 */
import { ScriptFailure } from '../failure.ts'
import { ScriptArray, ScriptObject, type Value } from './value.ts'

/** The most levels of a value that is walked; deeper values come close to the limit of JavaScript's stack. */
export const MOST_LEVELS = 1000

/** This is also how a value that contains itself is noticed. */
export const nestedTooDeeply = (): ScriptFailure =>
  new ScriptFailure('JM5002', 'The value is nested too deeply, or contains itself')

export type Notation = {
  readonly separator: string
  readonly afterKey: string
  readonly key: (key: string) => string
  /** Neither an array nor an object. */
  readonly leaf: (leaf: Value) => string
  /** How a long text is written, in pieces. */
  readonly text: { readonly quote: string; readonly piece: (piece: string) => string }
}

/** The target of the output, which also measures it. */
export type Sink = {
  /** Length of the output so far, in the unit of the sink. */
  readonly written: number
  /** @throws ScriptFailure when the output becomes too long */
  readonly put: (piece: string) => void
  /** Writes ASCII. */
  readonly putMark: (mark: string) => void
  /** Writes the output from start to end again. */
  readonly repeat: (start: number, end: number) => void
}

type Container = ScriptArray | ScriptObject

type Frame = {
  readonly of: Container
  /** Null for an array. */
  readonly keys: readonly (string | undefined)[] | null
  readonly members: readonly (Value | undefined)[]
  /** Where its output begins in the sink. */
  readonly start: number
  next: number
  isFirst: boolean
  /** Levels of its members. */
  height: number
}

type Written = { readonly start: number; readonly end: number; readonly height: number }

/** Least bytes or members of a remembered part. Walking a shorter part again costs no more than remembering it. */
const LEAST_REMEMBERED = 256

/** Longer texts are written in pieces of this many units. */
const PIECE = 10_000

export class ValueWalk {
  readonly #notation: Notation
  readonly #sink: Sink
  readonly #frames: Frame[] = []
  readonly #known = new Map<Container, Written>()
  #text: string | null = null
  #textAt = 0
  #left = 0

  constructor(value: Value, notation: Notation, sink: Sink) {
    this.#notation = notation
    this.#sink = sink
    this.#add(value)
  }

  /**
   * @param units the work to do: one unit for each value and for each hundred characters
   * @returns whether everything is written
   * @throws ScriptFailure JM5002 for a value nested too deeply
   */
  run(units: number): boolean {
    this.#left = units
    while (this.#left > 0) {
      const frame = this.#frames.at(-1)
      if (this.#text !== null) this.#putPiece(this.#text)
      else if (frame === undefined) return true
      else this.#goOn(frame)
    }
    return this.#text === null && this.#frames.length === 0
  }

  #goOn(frame: Frame): void {
    this.#left--
    const { keys, members } = frame
    if (frame.next === members.length) {
      this.#close(frame)
      return
    }
    const at = frame.next++
    const key = keys === null ? null : keys[at]
    // An object that once had many keys may have empty slots.
    if (key === undefined) return
    if (frame.isFirst) frame.isFirst = false
    else this.#sink.putMark(this.#notation.separator)
    if (key !== null) {
      this.#put(this.#notation.key(key))
      this.#sink.putMark(this.#notation.afterKey)
    }
    this.#add(members[at] as Value)
  }

  #add(value: Value): void {
    if (value instanceof ScriptArray || value instanceof ScriptObject) this.#enter(value)
    else if (typeof value === 'string' && value.length > PIECE) {
      this.#sink.putMark(this.#notation.text.quote)
      this.#text = value
      this.#textAt = 0
    } else this.#put(this.#notation.leaf(value))
  }

  #enter(of: Container): void {
    const level = this.#frames.length
    const known = this.#known.get(of)
    if (level + (known?.height ?? 1) > MOST_LEVELS) throw nestedTooDeeply()
    if (known !== undefined) {
      this.#sink.repeat(known.start, known.end)
      this.#raise(known.height)
      return
    }
    const start = this.#sink.written
    const isArray = of instanceof ScriptArray
    this.#sink.putMark(isArray ? '[' : '{')
    const [keys, members] = isArray ? [null, of.items] : [of.keys, of.slots]
    this.#frames.push({ of, keys, members, start, next: 0, isFirst: true, height: 1 })
  }

  #close({ of, keys, members, start, height }: Frame): void {
    this.#frames.pop()
    this.#sink.putMark(keys === null ? ']' : '}')
    const end = this.#sink.written
    const isLong = end - start >= LEAST_REMEMBERED || members.length >= LEAST_REMEMBERED
    if (isLong) this.#known.set(of, { start, end, height })
    this.#raise(height)
  }

  /** Gives the innermost open part at least this many levels of members. */
  #raise(height: number): void {
    const parent = this.#frames.at(-1)
    if (parent !== undefined && parent.height <= height) parent.height = height + 1
  }

  #put(piece: string): void {
    this.#left -= piece.length / 100
    this.#sink.put(piece)
  }

  #putPiece(text: string): void {
    const end = pieceEnd(text, this.#textAt)
    this.#put(this.#notation.text.piece(text.slice(this.#textAt, end)))
    this.#textAt = end
    if (end < text.length) return
    this.#text = null
    this.#sink.putMark(this.#notation.text.quote)
  }
}

/** Never between the two halves of a surrogate pair, which would be escaped if apart. */
function pieceEnd(text: string, start: number): number {
  const end = Math.min(start + PIECE, text.length)
  return isHighSurrogate(text.charCodeAt(end - 1)) && end < text.length ? end + 1 : end
}

const isHighSurrogate = (unit: number): boolean => (unit & 0xfc00) === 0xd800
