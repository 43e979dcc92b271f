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
  /** The record and its line end are `[start, end)`. A blank line is not a record. */
  | { readonly kind: 'record' | 'blank'; readonly end: number; readonly lineEnd: LineEnd }
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
  blank(lineEnd: LineEnd): void
  malformed(record: MalformedRecord): void
  flush(): Promise<void>
}

/** The most bytes of a record. A quote that is still open after that many counts as never closed. */
export const MAX_RECORD_BYTES = 2 ** 20
const CHUNK_BYTES = 4 * MAX_RECORD_BYTES
const LINE_FEED = 10
/** How much of a malformed line is kept. Rejects show less; the search for invoice numbers uses all of it. */
export const SHOWN_BYTES = 4096

export type Walked = TextFacts & {
  /** The number of records, malformed ones included. */
  readonly records: number
}

/** @throws Problem ING104 when the text is empty */
export async function walkRecords(
  source: SourceFile,
  judge: Judge,
  visitor: RecordVisitor,
  signal?: AbortSignal,
): Promise<Walked> {
  const text = await openText(source)
  try {
    const walk = new Walk(judge, visitor, source.mostRecords)
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
      // Only a file that grows meanwhile can fill a small buffer.
      if (kept === buffer.length) buffer = Buffer.concat([buffer], CHUNK_BYTES)
    }
    return {
      records: walk.records,
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
  records = 0
  linesNotUtf8 = 0

  constructor(judge: Judge, visitor: RecordVisitor, mostRecords = Number.POSITIVE_INFINITY) {
    this.#judge = judge
    this.#visitor = visitor
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
      if (judgement.kind === 'incomplete') {
        if (limit === end) return at
        judgement = tooLong
      }
      if (judgement.kind === 'malformed') {
        this.#malformed(bytes, at, end, judgement.reason)
        continue
      }
      if (judgement.kind === 'record') {
        if (valid || isUtf8(bytes.subarray(at, judgement.end))) {
          this.records++
          this.#visitor.record(bytes, at, judgement.end, judgement.lineEnd)
        } else {
          this.linesNotUtf8++
          this.#malformed(bytes, at, end, 'it is not valid UTF-8')
          continue
        }
      } else {
        this.#visitor.blank(judgement.lineEnd)
      }
      at = judgement.end
    }
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
