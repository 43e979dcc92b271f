/** Writes bytes one after another into memory that grows as needed. */

/** Up to this length a loop is faster than a native call. */
const SHORT = 32

/** {@link ByteWriter.piece} reads and writes up to so many bytes beyond the last one. */
export const BEYOND = 7

export class ByteWriter {
  bytes: Buffer
  length = 0
  /** Over {@link bytes}. */
  view: DataView

  /** @param room the first memory; when it is full, its bytes are copied to larger memory */
  constructor(room: Buffer) {
    this.bytes = room
    this.view = viewOf(room)
  }

  /** Makes room for this many more bytes. */
  reserve(more: number): void {
    const needed = this.length + more
    if (needed <= this.bytes.length) return
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.bytes.length))
    this.bytes.copy(grown, 0, 0, this.length)
    this.bytes = grown
    this.view = viewOf(grown)
  }

  byte(value: number): void {
    this.reserve(1)
    this.bytes[this.length++] = value
  }

  /** Appends a text as UTF-8. */
  text(text: string): void {
    this.reserve(3 * text.length)
    const { bytes, length } = this
    if (text.length > SHORT) {
      this.length += bytes.write(text, length)
      return
    }
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i)
      if (unit > 0x7f) {
        this.length += bytes.write(text, length)
        return
      }
      bytes[length + i] = unit
    }
    this.length += text.length
  }

  copy(source: Buffer, begin: number, end: number): void {
    this.reserve(end - begin)
    const { bytes, length } = this
    if (end - begin > SHORT) source.copy(bytes, length, begin, end)
    else for (let from = begin, to = length; from < end; from++, to++) bytes[to] = source[from]!
    this.length += end - begin
  }

  /**
   * Appends bytes of a source that can be read {@link BEYOND} its last byte. It copies eight bytes at a time, wherever they lie: several
   * times faster than a loop over bytes, and for short pieces than a native call. What is written beyond the last byte is
   * overwritten later.
   */
  piece(source: DataView, begin: number, byteLength: number): void {
    const { length } = this
    const end = length + byteLength
    if (end + BEYOND > this.bytes.length) this.reserve(byteLength + BEYOND)
    const view = this.view
    for (let from = begin, to = length; to < end; from += 8, to += 8) {
      // Not as a float, which might change the bytes of a NaN.
      view.setBigInt64(to, source.getBigInt64(from, true), true)
    }
    this.length = end
  }

  /** The bytes written so far, without a copy: after `length` is set back, later writes overwrite them. */
  written(): Uint8Array {
    return this.bytes.subarray(0, this.length)
  }

  /** What was written so far, as a source of {@link piece}s. It is no longer valid once more is written. */
  asSource(): DataView {
    this.reserve(BEYOND)
    return this.view
  }
}

const viewOf = ({ buffer, byteOffset, byteLength }: Buffer): DataView =>
  new DataView(buffer, byteOffset, byteLength)
