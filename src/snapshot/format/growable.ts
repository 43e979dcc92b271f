/** Arrays that grow by doubling while a file is built. `view` returns what has been written so far, without a copy. */

export class GrowableInts {
  #values = new Int32Array(1024)
  #length = 0

  get length(): number {
    return this.#length
  }

  push(value: number): void {
    if (this.#length === this.#values.length) {
      const larger = new Int32Array(this.#length * 2)
      larger.set(this.#values)
      this.#values = larger
    }
    this.#values[this.#length++] = value
  }

  view(): Int32Array {
    return this.#values.subarray(0, this.#length)
  }
}

export class GrowableDoubles {
  #values = new Float64Array(1024)
  #length = 0

  push(value: number): void {
    if (this.#length === this.#values.length) {
      const larger = new Float64Array(this.#length * 2)
      larger.set(this.#values)
      this.#values = larger
    }
    this.#values[this.#length++] = value
  }

  view(): Float64Array {
    return this.#values.subarray(0, this.#length)
  }
}

export class GrowableText {
  #bytes = Buffer.allocUnsafe(64 * 1024)
  #length = 0

  get length(): number {
    return this.#length
  }

  /** Appends the text as UTF-8. */
  push(text: string): void {
    // A UTF-16 code unit takes at most three bytes.
    const needed = this.#length + text.length * 3
    if (needed > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2))
      this.#bytes.copy(larger, 0, 0, this.#length)
      this.#bytes = larger
    }
    this.#length += this.#bytes.write(text, this.#length, 'utf8')
  }

  view(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }
}
