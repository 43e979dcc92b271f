/**
 * Walks a value in the order in which it is written, step by step, so that the one who asks may pause in between. A part that
 * occurs several times is walked once: where it occurs again, what was written for it is repeated. The time this takes then
 * grows with the parts that there are and not with what they become, which may be exponentially more (`a = [a, a]`).
 */
import { ScriptFailure } from '../failure.ts'
import { ScriptArray, ScriptObject, type Value } from './value.ts'

/** How deep values may be nested where something walks them; deeper would come near the end of JavaScript's stack. */
export const MOST_LEVELS = 1000

/** Also how a value that contains itself is noticed. */
export const nestedTooDeeply = (): ScriptFailure =>
  new ScriptFailure('JM5002', 'The value is nested too deeply, or contains itself')

export type Notation = {
  readonly separator: string
  readonly afterKey: string
  readonly key: (key: string) => string
  /** Neither an array nor an object. */
  readonly leaf: (leaf: Value) => string
  /** Of a long text, which is written in pieces. */
  readonly text: { readonly quote: string; readonly piece: (piece: string) => string }
}

/** Where to; it also counts. */
export type Sink = {
  /** What was written so far, in the unit of the sink. */
  readonly written: number
  /** @throws ScriptFailure when it becomes too much */
  readonly put: (piece: string) => void
  /** Only ASCII. */
  readonly putMark: (mark: string) => void
  /** What was written from here to there. */
  readonly repeat: (start: number, end: number) => void
}

type Container = ScriptArray | ScriptObject

type Frame = {
  readonly of: Container
  /** Null of an array. */
  readonly keys: readonly (string | undefined)[] | null
  readonly members: readonly (Value | undefined)[]
  /** In the sink. */
  readonly start: number
  next: number
  isFirst: boolean
  /** Levels of what is inside. */
  height: number
}

type Written = { readonly start: number; readonly end: number; readonly height: number }

/** Bytes or members. Walking a shorter part again costs no more than remembering it. */
const LEAST_REMEMBERED = 256

/** Longer texts are written in pieces of so many units. */
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
   * @param units of work: one for each value, and for each hundred characters
   * @returns whether all is written
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
    // Slots of an object that was wide may be empty.
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

  /** What the innermost open one contains has so many levels. */
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

/** Not between the two halves of a surrogate pair: alone they would be escaped. */
function pieceEnd(text: string, start: number): number {
  const end = Math.min(start + PIECE, text.length)
  return isHighSurrogate(text.charCodeAt(end - 1)) && end < text.length ? end + 1 : end
}

const isHighSurrogate = (unit: number): boolean => (unit & 0xfc00) === 0xd800
