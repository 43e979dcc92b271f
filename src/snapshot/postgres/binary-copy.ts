/**
 * Writes rows in the binary format of COPY (https://www.postgresql.org/docs/current/sql-copy.html, "Binary Format"): lengths
 * and values with the most significant byte first.
 */
import type { Writable } from 'node:stream'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

const CHUNK_BYTES = 1 << 16
const NULL_LENGTH = -1
const TWO_TO_32 = 0x1_0000_0000

/** OIDs of the types of array elements. */
const oids = { int4: 23, int8: 20, text: 25 } as const

/** Appends values of one row after another; a value is null or of the type of its column. */
export class BinaryRows {
  #bytes = Buffer.allocUnsafe(2 * CHUNK_BYTES)
  #length = 0

  constructor() {
    this.#length = this.#bytes.write('PGCOPY\n\xff\r\n\0', 'latin1')
    this.#int32(0)
    this.#int32(0)
  }

  row(columns: number): void {
    this.#reserve(2)
    this.#length = this.#bytes.writeInt16BE(columns, this.#length)
  }

  null(): void {
    this.#int32(NULL_LENGTH)
  }

  text(value: string | null): void {
    const text = value ?? ''
    this.#reserve(4 + 3 * text.length)
    const written = this.#bytes.write(text, this.#length + 4)
    this.#bytes.writeInt32BE(value === null ? NULL_LENGTH : written, this.#length)
    this.#length += 4 + written
  }

  /** Bytes that are UTF-8 already, from `begin` up to `end`, for a column of text. */
  utf8(bytes: Buffer, begin: number, end: number): void {
    this.#int32(end - begin)
    this.#reserve(end - begin)
    this.#length += bytes.copy(this.#bytes, this.#length, begin, end)
  }

  boolean(value: boolean): void {
    this.#int32(1)
    this.#reserve(1)
    this.#bytes[this.#length++] = value ? 1 : 0
  }

  int4(value: number | null): void {
    this.#int32(value === null ? NULL_LENGTH : 4)
    if (value !== null) this.#int32(value)
  }

  /** Any integer that a double holds. */
  int8(value: number | null): void {
    this.#int32(value === null ? NULL_LENGTH : 8)
    if (value === null) return
    const high = Math.floor(value / TWO_TO_32)
    this.#int32(high)
    this.#int32((value - high * TWO_TO_32) | 0)
  }

  /** An array without nulls; null when it is empty. */
  int4Array(values: readonly number[]): void {
    this.#array('int4', values, (value) => this.int4(value))
  }

  int8Array(values: readonly (number | null)[]): void {
    this.#array('int8', values, (value) => this.int8(value))
  }

  textArray(values: readonly (string | null)[]): void {
    this.#array('text', values, (value) => this.text(value))
  }

  /** The bytes since the last call when they are many, else null. */
  fullChunk(): Buffer | null {
    return this.#length < CHUNK_BYTES ? null : this.#taken()
  }

  /** The remaining bytes with the end of the data. */
  lastChunk(): Buffer {
    this.row(-1)
    return this.#taken()
  }

  #array<Value>(type: keyof typeof oids, values: readonly Value[], write: (value: Value) => void): void {
    if (!values.some((value) => value !== null)) {
      this.null()
      return
    }
    this.#reserve(4)
    const begin = this.#length
    this.#length += 4
    const hasNull = values.some((value) => value === null)
    for (const part of [1, Number(hasNull), oids[type], values.length, 1]) this.#int32(part)
    for (const value of values) write(value)
    this.#bytes.writeInt32BE(this.#length - begin - 4, begin)
  }

  #int32(value: number): void {
    this.#reserve(4)
    this.#length = this.#bytes.writeInt32BE(value, this.#length)
  }

  #taken(): Buffer {
    const taken = this.#bytes.subarray(0, this.#length)
    this.#bytes = Buffer.allocUnsafe(2 * CHUNK_BYTES)
    this.#length = 0
    return taken
  }

  #reserve(more: number): void {
    const needed = this.#length + more
    if (needed <= this.#bytes.length) return
    const grown = Buffer.allocUnsafe(Math.max(needed, 2 * this.#bytes.length))
    this.#bytes.copy(grown, 0, 0, this.#length)
    this.#bytes = grown
  }
}

/** Writes `count` rows to a COPY, no faster than the server takes them. */
export async function copyBinary(
  copy: Writable,
  count: number,
  writeRow: (to: BinaryRows, row: number) => void,
): Promise<void> {
  await pipeline(Readable.from(chunksOf(count, writeRow), { objectMode: true, highWaterMark: 1 }), copy)
}

function* chunksOf(
  count: number,
  writeRow: (to: BinaryRows, row: number) => void,
): Generator<Buffer, void, undefined> {
  const rows = new BinaryRows()
  for (let row = 0; row < count; row++) {
    writeRow(rows, row)
    const chunk = rows.fullChunk()
    if (chunk !== null) yield chunk
  }
  yield rows.lastChunk()
}
