/**
 * Finds where a CSV record ends, or why it is malformed (RFC 4180). The database reads CSV faster than this, but around a
 * broken quote it may silently drop lines. So every file is walked once with this judge, and the database reads only
 * well-formed records.
 */
import type { Judge, Judgement, LineEnd } from './walk-records.ts'

export type CsvShape = {
  /** One ASCII character. */
  readonly delimiter: string
  /** How many columns the header has. */
  readonly columns: number
}

const LF = 10
const CR = 13
const SPACE = 32
const QUOTE = 34

export function csvJudge({ delimiter, columns }: CsvShape): Judge {
  const separator = delimiter.charCodeAt(0)
  const ordinary = new Uint8Array(256).fill(1)
  for (const byte of [LF, CR, QUOTE, separator]) ordinary[byte] = 0

  return (bytes, start, end, last) => {
    let found = 1
    let fieldStart = start
    let at = start
    while (at < end) {
      const byte = bytes[at] as number
      if (ordinary[byte] === 1) {
        at++
      } else if (byte === separator) {
        found++
        at++
        fieldStart = at
      } else if (byte === QUOTE) {
        // Spaces before an opening quote are not part of the value; inside an unquoted value a quote is an ordinary character.
        if (onlySpaces(bytes, fieldStart, at)) {
          const after = afterQuoted(bytes, at + 1, end, separator, last)
          if (after === STRAY) return textAfterQuote
          if (after === OPEN) return last ? neverClosed : incomplete
          at = after
        } else {
          at++
        }
      } else if (byte === LF) {
        return judged(at - start, found, columns, at + 1, 'lf')
      } else {
        if (at + 1 === end && !last) return incomplete
        if (at + 1 === end || bytes[at + 1] !== LF) return loneCarriageReturn
        return judged(at - start, found, columns, at + 2, 'crlf')
      }
    }
    return last ? judged(end - start, found, columns, end, 'none') : incomplete
  }
}

const incomplete: Judgement = { kind: 'incomplete' }
const malformed = (reason: string): Judgement => ({ kind: 'malformed', reason })
const neverClosed = malformed('a quote is never closed')
const textAfterQuote = malformed('there is text after a closing quote')
const loneCarriageReturn = malformed('there is a carriage return outside quotes')

/** @param length of the line without its end; spreadsheets write lines of delimiters alone below a table */
function judged(length: number, found: number, columns: number, end: number, lineEnd: LineEnd): Judgement {
  if (length < found) return { kind: length === 0 ? 'blank' : 'delimiters', end, lineEnd }
  if (found === columns) return { kind: 'record', end, lineEnd }
  return malformed(`there are ${found === 1 ? '1 value' : `${found} values`} for ${columns} columns`)
}

/** The record with nothing in the fields at some places, and with its line end. Its fields are well-formed. */
export function withoutFields(
  record: Buffer,
  delimiter: string,
  isLeftOut: (place: number) => boolean,
): Buffer {
  const separator = delimiter.charCodeAt(0)
  const kept: Buffer[] = []
  let place = 0
  let from = 0
  for (let at = 0; at < record.length; ) {
    const quoted = record[at] === QUOTE && onlySpaces(record, from, at)
    const next = quoted ? afterQuoted(record, at + 1, record.length, separator, true) : at
    const isEnd = record[next] === separator || isLineEnd(record, next)
    if (isEnd) {
      if (!isLeftOut(place++)) kept.push(record.subarray(from, next))
      if (record[next] !== separator) return Buffer.concat([...kept, record.subarray(next)])
      kept.push(record.subarray(next, next + 1))
      from = next + 1
    }
    at = isEnd || !quoted ? next + 1 : next
  }
  return Buffer.concat(isLeftOut(place) ? kept : [...kept, record.subarray(from)])
}

/** Outside quotes a carriage return only ends a line. */
const isLineEnd = (record: Buffer, at: number): boolean => record[at] === LF || record[at] === CR

const OPEN = -1
const STRAY = -2

/** The place after a quoted value and its spaces, where a separator, a line end or the file's end must be. */
function afterQuoted(bytes: Uint8Array, from: number, end: number, separator: number, last: boolean): number {
  let at = from
  while (at < end) {
    if (bytes[at] !== QUOTE) {
      at++
    } else if (at + 1 < end && bytes[at + 1] === QUOTE) {
      at += 2
    } else {
      at++
      while (at < end && bytes[at] === SPACE) at++
      if (at === end) return last ? end : OPEN
      const byte = bytes[at]
      return byte === separator || byte === LF || byte === CR ? at : STRAY
    }
  }
  return OPEN
}

function onlySpaces(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (bytes[at] !== SPACE) return false
  return true
}
