/**
 * Takes the rows of a connection out of its bytes, before the driver decodes them as text: finished JSON stays the UTF-8 that
 * it is. All other messages go on to the driver. https://www.postgresql.org/docs/current/protocol-message-formats.html
 */
import type { Connection } from 'pg'

/** The values of a row in their text format; null for null. */
export type RawRow = readonly (Buffer | null)[]

const DATA_ROW = 'D'.charCodeAt(0)

/** Kind and length. The length includes itself. */
const HEADER_BYTES = 5
const LENGTH_BYTES = 4

const opened = new WeakMap<Connection, RowFrames>()

/** The frames of a connection, from its next message on. */
export function framesOf(connection: Connection): RowFrames {
  const known = opened.get(connection)
  if (known !== undefined) return known
  const { stream } = connection
  const [driver, ...others] = stream.listeners('data') as ((bytes: Buffer) => void)[]
  if (driver === undefined || others.length > 0) throw new Error('The driver does not read its connection')
  const frames = new RowFrames(driver)
  stream.off('data', driver)
  stream.on('data', (bytes: Buffer) => frames.read(bytes))
  opened.set(connection, frames)
  return frames
}

export class RowFrames {
  /** Who gets the rows; null for the driver itself. */
  reader: ((row: RawRow) => void) | null = null
  /** Names of the statements that the connection has prepared. */
  readonly prepared = new Set<string>()

  readonly #driver: (bytes: Buffer) => void
  /** The beginning of a header. */
  #rest: Buffer | null = null
  /** The row that is being received, and how much of it is there. */
  #row: Buffer | null = null
  #rowBytes = 0
  /** How much of another message is still to come. */
  #passing = 0

  constructor(driver: (bytes: Buffer) => void) {
    this.#driver = driver
  }

  read(received: Buffer): void {
    const bytes = this.#rest === null ? received : Buffer.concat([this.#rest, received])
    this.#rest = null
    let from = 0
    let at = 0
    while (at < bytes.length) {
      if (this.#row !== null) {
        at += this.#fill(this.#row, bytes, at)
        from = at
      } else if (this.#passing > 0) {
        const passed = Math.min(this.#passing, bytes.length - at)
        this.#passing -= passed
        at += passed
      } else if (bytes.length - at < HEADER_BYTES) {
        this.#rest = bytes.subarray(at)
        break
      } else {
        const length = bytes.readUInt32BE(at + 1)
        if (bytes[at] === DATA_ROW && this.reader !== null) {
          this.#pass(bytes, from, at)
          at += HEADER_BYTES
          const end = at + length - LENGTH_BYTES
          if (end <= bytes.length) {
            // Not copied: the bytes of a read are nobody else's, and the driver gets none of these.
            this.reader?.(valuesOf(bytes.subarray(at, end)))
            at = end
          } else {
            this.#row = Buffer.allocUnsafe(length - LENGTH_BYTES)
            this.#rowBytes = 0
          }
          from = at
        } else {
          this.#passing = length - LENGTH_BYTES + HEADER_BYTES
        }
      }
    }
    this.#pass(bytes, from, at)
  }

  /** @returns how many bytes belong to the row */
  #fill(row: Buffer, bytes: Buffer, at: number): number {
    const copied = bytes.copy(row, this.#rowBytes, at)
    this.#rowBytes += copied
    if (this.#rowBytes === row.length) {
      this.#row = null
      this.reader?.(valuesOf(row))
    }
    return copied
  }

  #pass(bytes: Buffer, from: number, to: number): void {
    if (from < to) this.#driver(from === 0 && to === bytes.length ? bytes : bytes.subarray(from, to))
  }
}

/** A row is the number of its values, then each value after its length; -1 is the length of null. */
function valuesOf(row: Buffer): RawRow {
  const values: (Buffer | null)[] = []
  for (let at = 2; at < row.length; ) {
    const length = row.readInt32BE(at)
    at += LENGTH_BYTES
    values.push(length === -1 ? null : row.subarray(at, at + Math.max(length, 0)))
    at += Math.max(length, 0)
  }
  return values
}
