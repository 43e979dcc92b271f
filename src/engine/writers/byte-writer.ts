/** Writes bytes one after another into memory that grows as needed. */

/** Up to this length a loop is faster than a native call. */
const SHORT = 32

export class ByteWriter {
  bytes: Buffer
  length = 0
  #view: DataView

  /** @param room the first memory; when it is full, its bytes are copied to larger memory */
  constructor(room: Buffer) {
    this.bytes = room
    this.#view = viewOf(room)
  }

  /** Makes room for this many more bytes. */
  reserve(more: number): void {
    const needed = this.length + more
    if (needed <= this.bytes.length) return
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.bytes.length))
    this.bytes.copy(grown, 0, 0, this.length)
    this.bytes = grown
    this.#view = viewOf(grown)
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
   * Appends bytes that are laid out in words of four, from word number `begin` on. Several times faster than a loop over bytes,
   * because the words need not be aligned in the target; what is written beyond the last byte is overwritten later.
   */
  words(source: Int32Array, begin: number, byteLength: number): void {
    const { length } = this
    const end = length + byteLength
    if (end + 3 > this.bytes.length) this.reserve(byteLength + 3)
    const view = this.#view
    for (let from = begin, to = length; to < end; from++, to += 4) view.setInt32(to, source[from]!, true)
    this.length = end
  }

  /** The bytes written so far, without a copy: after `length` is set back, later writes overwrite them. */
  written(): Uint8Array {
    return this.bytes.subarray(0, this.length)
  }
}

const viewOf = ({ buffer, byteOffset, byteLength }: Buffer): DataView =>
  new DataView(buffer, byteOffset, byteLength)
