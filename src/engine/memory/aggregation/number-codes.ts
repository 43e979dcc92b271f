/**
 * Numbers codes in the order in which their keys come: a hash table without objects, with open addressing. A key is a double, or
 * a pair of small integers.
 */

const FIRST_SLOTS = 1 << 10

/** Codes of doubles, of which whole numbers are spread best. */
export class NumberCodes {
  #slots = new Int32Array(FIRST_SLOTS)
  #keys = new Float64Array(FIRST_SLOTS / 2)
  #size = 0

  get size(): number {
    return this.#size
  }

  /** The keys by code. */
  get keys(): Float64Array {
    return this.#keys.subarray(0, this.#size)
  }

  codeOf(key: number): number {
    const mask = this.#slots.length - 1
    let slot = hashOf(key | 0, Math.floor(key / 4294967296) | 0) & mask
    for (;;) {
      const code = this.#slots[slot]! - 1
      if (code < 0) return this.#add(key, slot)
      if (this.#keys[code] === key) return code
      slot = (slot + 1) & mask
    }
  }

  #add(key: number, slot: number): number {
    const code = this.#size++
    this.#keys[code] = key
    this.#slots[slot] = code + 1
    if (this.#size === this.#keys.length) this.#grow()
    return code
  }

  #grow(): void {
    const keys = new Float64Array(2 * this.#keys.length)
    keys.set(this.#keys)
    this.#keys = keys
    this.#slots = new Int32Array(2 * this.#slots.length)
    const mask = this.#slots.length - 1
    for (let code = 0; code < this.#size; code++) {
      const key = keys[code]!
      let slot = hashOf(key | 0, Math.floor(key / 4294967296) | 0) & mask
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask
      this.#slots[slot] = code + 1
    }
  }
}

/** Codes of pairs of 32-bit integers. */
export class PairCodes {
  #slots = new Int32Array(FIRST_SLOTS)
  #first = new Int32Array(FIRST_SLOTS / 2)
  #second = new Int32Array(FIRST_SLOTS / 2)
  #size = 0

  get size(): number {
    return this.#size
  }

  firstOf(code: number): number {
    return this.#first[code]!
  }

  secondOf(code: number): number {
    return this.#second[code]!
  }

  codeOf(first: number, second: number): number {
    const mask = this.#slots.length - 1
    let slot = hashOf(first, second) & mask
    for (;;) {
      const code = this.#slots[slot]! - 1
      if (code < 0) return this.#add(first, second, slot)
      if (this.#first[code] === first && this.#second[code] === second) return code
      slot = (slot + 1) & mask
    }
  }

  #add(first: number, second: number, slot: number): number {
    const code = this.#size++
    this.#first[code] = first
    this.#second[code] = second
    this.#slots[slot] = code + 1
    if (this.#size === this.#first.length) this.#grow()
    return code
  }

  #grow(): void {
    this.#first = doubled(this.#first)
    this.#second = doubled(this.#second)
    this.#slots = new Int32Array(2 * this.#slots.length)
    const mask = this.#slots.length - 1
    for (let code = 0; code < this.#size; code++) {
      let slot = hashOf(this.#first[code]!, this.#second[code]!) & mask
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask
      this.#slots[slot] = code + 1
    }
  }
}

function doubled(array: Int32Array): Int32Array<ArrayBuffer> {
  const grown = new Int32Array(2 * array.length)
  grown.set(array)
  return grown
}

/** The last steps of MurmurHash3, which mix all bits. */
function hashOf(low: number, high: number): number {
  let h = Math.imul(low, 0x9e3779b1) ^ Math.imul(high, 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return h ^ (h >>> 16)
}
