/**
 * Reads CSV in which a backslash is an escape, as databases write it, or in which quotes enclose nothing. Each record is
 * written anew by RFC 4180, so that all that follows knows one form only.
 *
 * Accepted where the backslash is an escape: Nord\\Syd   a\tb   "say \"hi\""   one\<tab>value   \N, which is null
 * Refused: \d and whatever else these databases never write
 */
import { maskCardNumbersIn } from '../card-numbers.ts'
import type { Judge, Judgement, LineEnd } from '../sources/walk-records.ts'
import type { CsvDialect } from './csv-dialect.ts'

type Shape = { readonly delimiter: string; readonly columns: number; readonly dialect: CsvDialect }

const LF = 10
const CR = 13
const SPACE = 32
const QUOTE = 34
const BACKSLASH = 92
const LETTER_N = 78

/** What a letter or a digit behind a backslash stands for. */
const controls: ReadonlyMap<number, number> = new Map(
  Object.entries({ '0': 0, b: 8, t: 9, n: LF, v: 11, f: 12, r: CR }).map(([letter, code]) => [
    letter.charCodeAt(0),
    code,
  ]),
)

export class DialectReader {
  readonly #shape: Shape
  readonly #separator: number
  /** The record as RFC 4180 writes it. */
  #target = Buffer.allocUnsafe(4096)
  #length = 0

  constructor(shape: Shape) {
    this.#shape = shape
    this.#separator = shape.delimiter.charCodeAt(0)
  }

  readonly judge: Judge = (bytes, start, end, last) => {
    const { columns } = this.#shape
    this.#length = 0
    let found = 0
    for (let at = start; ; at++) {
      found++
      const after = this.#field(bytes, at, end, last)
      if (typeof after !== 'number') return after
      at = after
      if (at < end && bytes[at] === this.#separator) {
        this.#write(this.#separator)
        continue
      }
      const lineEnd = lineEndAt(bytes, at, end, last)
      if (typeof lineEnd !== 'string') return lineEnd
      const next = at + LENGTHS[lineEnd]
      // Delimiters alone are no record.
      if (at - start < found) return { kind: at === start ? 'blank' : 'delimiters', end: next, lineEnd }
      if (found === columns) return { kind: 'record', end: next, lineEnd }
      return malformed(`there are ${found === 1 ? '1 value' : `${found} values`} for ${columns} columns`)
    }
  }

  /** A record that was judged to be one, without its line end. */
  plain(bytes: Buffer, start: number, end: number): Buffer {
    this.judge(bytes, start, end, true)
    return Buffer.from(this.#target.subarray(0, this.#length))
  }

  /** @returns the place behind the field, where a delimiter or a line end is, or the end */
  #field(bytes: Buffer, start: number, end: number, last: boolean): number | Judgement {
    const { quotes } = this.#shape.dialect
    let at = start
    if (quotes) while (at < end && bytes[at] === SPACE) at++
    if (quotes && at < end && bytes[at] === QUOTE) return this.#quoted(bytes, at + 1, end, last)
    return this.#unquoted(bytes, start, end, last)
  }

  #unquoted(bytes: Buffer, start: number, end: number, last: boolean): number | Judgement {
    const isEscaped = this.#shape.dialect.escapes === 'everywhere'
    const from = this.#length
    this.#write(QUOTE)
    let at = start
    while (at < end) {
      const byte = bytes[at] as number
      if (byte === this.#separator || byte === LF || byte === CR) break
      if (byte === BACKSLASH && isEscaped) {
        if (this.#isNull(bytes, start, at, end)) {
          this.#length = from
          return at + 2 === end && !last ? incomplete : at + 2
        }
        const after = this.#escape(bytes, at, end, last)
        if (typeof after !== 'number') return after
        at = after
        continue
      }
      this.#writeText(byte)
      at++
    }
    if (at === end && !last) return incomplete
    const isNull = at === start || (!isEscaped && at - start === 2 && this.#isNull(bytes, start, start, end))
    // Nothing between two delimiters is null.
    if (isNull) this.#length = from
    else this.#write(QUOTE)
    return at
  }

  /** Whether the whole field is a backslash and an N. */
  #isNull(bytes: Buffer, start: number, at: number, end: number): boolean {
    if (at !== start || at + 1 >= end || bytes[at] !== BACKSLASH || bytes[at + 1] !== LETTER_N) return false
    const next = at + 2 >= end ? LF : bytes[at + 2]
    return next === this.#separator || next === LF || next === CR
  }

  #quoted(bytes: Buffer, from: number, end: number, last: boolean): number | Judgement {
    const { escapes } = this.#shape.dialect
    this.#write(QUOTE)
    let at = from
    while (at < end) {
      const byte = bytes[at] as number
      const next = bytes[at + 1]
      if (byte === BACKSLASH && escapes === 'everywhere') {
        const after = this.#escape(bytes, at, end, last)
        if (typeof after !== 'number') return after
        at = after
      } else if (byte === BACKSLASH && escapes === 'in quotes' && at + 1 === end) {
        return last ? neverClosed : incomplete
      } else if (byte === BACKSLASH && escapes === 'in quotes' && (next === QUOTE || next === BACKSLASH)) {
        this.#writeText(next)
        at += 2
      } else if (byte !== QUOTE) {
        this.#writeText(byte)
        at++
      } else if (at + 1 < end && next === QUOTE) {
        this.#writeText(QUOTE)
        at += 2
      } else {
        this.#write(QUOTE)
        at++
        while (at < end && bytes[at] === SPACE) at++
        if (at === end) return last ? at : incomplete
        const isEnd = bytes[at] === this.#separator || bytes[at] === LF || bytes[at] === CR
        return isEnd ? at : malformed('there is text after a closing quote')
      }
    }
    return last ? neverClosed : incomplete
  }

  /** @returns the place behind the escape */
  #escape(bytes: Buffer, at: number, end: number, last: boolean): number | Judgement {
    if (at + 1 === end) return last ? malformed('it ends with a backslash') : incomplete
    const byte = bytes[at + 1] as number
    const control = controls.get(byte)
    if (control === undefined && byte !== this.#separator && !ITSELF.has(byte)) {
      const shown = maskCardNumbersIn(bytes.toString('utf8', at + 1, Math.min(end, at + 5)).slice(0, 1))
      return malformed(`the backslash before '${shown}' is no escape`)
    }
    this.#writeText(control ?? byte)
    // The two characters of a line end may share one backslash.
    if (byte === CR && at + 2 === end && !last) return incomplete
    if (byte !== CR || bytes[at + 2] !== LF || at + 2 === end) return at + 2
    this.#writeText(LF)
    return at + 3
  }

  #writeText(byte: number): void {
    if (byte === QUOTE) this.#write(QUOTE)
    this.#write(byte)
  }

  #write(byte: number): void {
    if (this.#length === this.#target.length) {
      this.#target = Buffer.concat([this.#target], 2 * this.#target.length)
    }
    this.#target[this.#length++] = byte
  }
}

/** What stands for itself behind a backslash, as does the delimiter. */
const ITSELF: ReadonlySet<number> = new Set([BACKSLASH, QUOTE, "'".charCodeAt(0), LF, CR])
const LENGTHS: { readonly [L in LineEnd]: number } = { lf: 1, crlf: 2, none: 0 }

function lineEndAt(bytes: Buffer, at: number, end: number, last: boolean): LineEnd | Judgement {
  if (at === end) return last ? 'none' : incomplete
  if (bytes[at] === LF) return 'lf'
  if (at + 1 === end && !last) return incomplete
  return at + 1 < end && bytes[at + 1] === LF
    ? 'crlf'
    : malformed('there is a carriage return outside quotes')
}

const incomplete: Judgement = { kind: 'incomplete' }
const malformed = (reason: string): Judgement => ({ kind: 'malformed', reason })
const neverClosed = malformed('a quote is never closed')
