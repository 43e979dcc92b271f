/**
 * Walks a file of text records, chunk by chunk, and passes well-formed records to the visitor, and malformed ones with the
 * reason. After a malformed record it continues with the next line, so that one broken quote costs one line, not the file.
 */
import { isUtf8 } from 'node:buffer'
import { fileEmpty } from '../problems.ts'
import { openText, type TextReader } from './open-text.ts'
import type { SourceFile, TextFacts } from './table-part.ts'

/** Finds where the record at `start` ends, or what is wrong with it; `last` is true when nothing follows `end`. */
export type Judge = (bytes: Buffer, start: number, end: number, last: boolean) => Judgement

export type Judgement =
  /** The record and its line end are `[start, end)`. A blank line is not a record, nor is one of delimiters alone. */
  | { readonly kind: 'record' | 'blank' | 'delimiters'; readonly end: number; readonly lineEnd: LineEnd }
  | { readonly kind: 'malformed'; readonly reason: string }
  /** The bytes end before the record does. */
  | { readonly kind: 'incomplete' }

export type LineEnd = 'lf' | 'crlf' | 'none'

export type MalformedRecord = {
  /** Its place among all records, from 0. */
  readonly index: number
  readonly reason: string
  /** The first bytes of its line, as text. */
  readonly text: string
}

export interface RecordVisitor {
  /** `[start, end)` is the record with its line end; the bytes are overwritten after `flush`. */
  record(bytes: Buffer, start: number, end: number, lineEnd: LineEnd): void
  /** @param delimiters whether the line has some */
  blank(lineEnd: LineEnd, delimiters: boolean): void
  malformed(record: MalformedRecord): void
  flush(): Promise<void>
}

/** Takes out of a record what is ignored; the line end stays. */
export type Shorten = (bytes: Buffer, start: number, end: number) => Buffer

/** The most bytes of a record without what is ignored in it. A quote that is open after that many is tried further, see below. */
export const MAX_RECORD_BYTES = 2 ** 20
/** The most bytes of a record with all that is ignored in it: a buffer holds it whole. */
const LONGEST_RECORD_BYTES = 2 ** 26
/**
 * How often a file may have a record that stays malformed when it is looked at up to that length. A file of quotes that are
 * never closed would be read again for each of them.
 */
const MOST_VAIN_TRIES = 3
const CHUNK_BYTES = 4 * MAX_RECORD_BYTES
const LINE_FEED = 10
/** How much of a malformed line is kept. Rejects show less; the search for invoice numbers uses all of it. */
export const SHOWN_BYTES = 4096

export type Walked = TextFacts & {
  /** The number of records, malformed ones included. */
  readonly records: number
  /** How many of them were visited without what is ignored in them. */
  readonly shortened: number
}

/** @throws Problem ING104 when the text is empty */
export async function walkRecords(
  source: SourceFile,
  judge: Judge,
  visitor: RecordVisitor,
  {
    signal,
    shorten,
  }: { readonly signal?: AbortSignal | undefined; readonly shorten?: Shorten | undefined } = {},
): Promise<Walked> {
  const text = await openText(source)
  try {
    const walk = new Walk(judge, visitor, shorten, source.mostRecords)
    // A small file gets a small buffer, with room for one more byte, so that its end is seen at once.
    const { sizeBytes = CHUNK_BYTES } = text
    let buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, sizeBytes + 1))
    let kept = 0
    let hasLineEnd = false
    let endsLine = true
    for (let last = false, first = true; !last; first = false) {
      signal?.throwIfAborted()
      const filled = await fill(text, buffer, kept)
      if (first && filled === 0) throw fileEmpty(source.table.name, source.file)
      last = filled < buffer.length
      hasLineEnd ||= buffer.subarray(0, filled).includes(LINE_FEED)
      if (filled > 0) endsLine = buffer[filled - 1] === LINE_FEED
      const start = first && hasByteOrderMark(buffer, filled) ? 3 : 0
      const done = walk.chunk(buffer, start, filled, last)
      await visitor.flush()
      if (walk.isFull) break
      buffer.copyWithin(0, done, filled)
      kept = filled - done
      // A long record, or a small file that grows meanwhile.
      if (kept === buffer.length) buffer = Buffer.concat([buffer], Math.max(CHUNK_BYTES, 2 * kept))
    }
    return {
      records: walk.records,
      shortened: walk.shortened,
      linesNotUtf8: walk.linesNotUtf8,
      stopsInsideLine: hasLineEnd && !endsLine && !walk.isFull,
    }
  } finally {
    await text.close()
  }
}

export const hasByteOrderMark = (bytes: Uint8Array, length: number): boolean =>
  length >= 3 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf

/** Reads until the buffer is full or the text ends. @returns the number of bytes in the buffer */
export async function fill(text: TextReader, buffer: Buffer, from: number): Promise<number> {
  let filled = from
  while (filled < buffer.length) {
    const read = await text.read(buffer, filled)
    if (read === 0) break
    filled += read
  }
  return filled
}

class Walk {
  readonly #judge: Judge
  readonly #visitor: RecordVisitor
  /** True while the rest of a malformed record's line is skipped, up to the next line feed. */
  #skipping = false
  readonly #mostRecords: number
  readonly #shorten: Shorten | undefined
  #vainTries = 0
  records = 0
  shortened = 0
  linesNotUtf8 = 0

  constructor(
    judge: Judge,
    visitor: RecordVisitor,
    shorten: Shorten | undefined,
    mostRecords = Number.POSITIVE_INFINITY,
  ) {
    this.#judge = judge
    this.#visitor = visitor
    this.#shorten = shorten
    this.#mostRecords = mostRecords
  }

  get isFull(): boolean {
    return this.records >= this.#mostRecords
  }

  /** @returns the end of the bytes that were processed; the next chunk begins with the others */
  chunk(bytes: Buffer, start: number, end: number, last: boolean): number {
    // Nearly every chunk is valid UTF-8 as a whole; only in the others each record is checked.
    const whole = last ? end : bytes.lastIndexOf(LINE_FEED, end - 1) + 1
    const valid = isUtf8(bytes.subarray(start, Math.max(start, whole)))
    let at = start
    for (;;) {
      if (this.#skipping) {
        const lineFeed = bytes.subarray(0, end).indexOf(LINE_FEED, at)
        if (lineFeed < 0) return end
        at = lineFeed + 1
        this.#skipping = false
      }
      if (at === end || this.isFull) return at
      const limit = Math.min(end, at + MAX_RECORD_BYTES)
      let judgement = this.#judge(bytes, at, limit, last && limit === end)
      let record: Buffer | undefined
      if (judgement.kind === 'incomplete') {
        if (limit === end) return at
        const long = this.#longRecord(bytes, at, end, last)
        if (long === 'incomplete') return at
        judgement = long?.judgement ?? tooLong
        record = long?.record
      }
      if (judgement.kind === 'malformed') {
        this.#malformed(bytes, at, end, judgement.reason)
        continue
      }
      if (judgement.kind === 'record') {
        if (valid || isUtf8(bytes.subarray(at, judgement.end))) {
          this.records++
          if (record === undefined) this.#visitor.record(bytes, at, judgement.end, judgement.lineEnd)
          else this.#visitor.record(record, 0, record.length, judgement.lineEnd)
        } else {
          this.linesNotUtf8++
          this.#malformed(bytes, at, end, 'it is not valid UTF-8')
          continue
        }
      } else {
        this.#visitor.blank(judgement.lineEnd, judgement.kind === 'delimiters')
      }
      at = judgement.end
    }
  }

  /** A record that is too long by what is ignored in it. Undefined when there is none. */
  #longRecord(bytes: Buffer, at: number, end: number, last: boolean) {
    if (this.#shorten === undefined || this.#vainTries === MOST_VAIN_TRIES) return undefined
    const limit = Math.min(end, at + LONGEST_RECORD_BYTES)
    const judgement = this.#judge(bytes, at, limit, last && limit === end)
    if (judgement.kind === 'incomplete' && limit === end) return 'incomplete'
    if (judgement.kind === 'record') {
      const record = this.#shorten(bytes, at, judgement.end)
      if (record.length <= MAX_RECORD_BYTES) {
        this.shortened++
        return { judgement, record }
      }
    }
    this.#vainTries++
    return undefined
  }

  #malformed(bytes: Buffer, at: number, end: number, reason: string): void {
    const lineEnd = bytes.subarray(0, end).indexOf(LINE_FEED, at)
    const shown = bytes.subarray(at, Math.min(at + SHOWN_BYTES, lineEnd < 0 ? end : lineEnd))
    this.#visitor.malformed({ index: this.records++, reason, text: shown.toString('utf8').trimEnd() })
    this.#skipping = true
  }
}

const tooLong = {
  kind: 'malformed',
  reason: `it is longer than ${MAX_RECORD_BYTES} bytes, or a quote in it is never closed`,
} as const
