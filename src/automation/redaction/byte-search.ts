/**
 * Finds many patterns in many bytes. The time is proportional to the number of bytes, whatever the patterns are. Each pattern is
 * first looked for by its four most distinctive bytes; only a pattern that occurs is searched for in full (Knuth, Morris, Pratt).
 */

export type ByteSearch = { readonly add: (pattern: BytePattern) => void; readonly find: Find }

/** Calls `found` with start and end of every occurrence, including those that overlap. */
type Find = (bytes: Uint8Array, found: (start: number, end: number) => void) => void

const KEY_BYTES = 4

/** The smallest pattern, in bytes. */
export const SHORTEST_PATTERN = KEY_BYTES

/** A pattern probably occurs when this many bytes at each of its ends are equal. */
const PROBE = 32

/** Bytes to look for. The key is four of them, which begin at `offset`. */
export type BytePattern = { readonly pattern: Uint8Array; readonly offset: number; readonly key: number }

export function bytePattern(pattern: Uint8Array): BytePattern {
  const offset = mostTelling(pattern)
  return { pattern, offset, key: keyAt(pattern, offset) }
}

type Index = {
  readonly byKey: ReadonlyMap<number, readonly BytePattern[]>
  /** 1 where a key has this hash. Most places are ruled out by this one look. */
  readonly hashes: Uint8Array
}

export function createByteSearch(): ByteSearch {
  const byKey = new Map<number, BytePattern[]>()
  // Allocated with the first pattern, because most runs have no secret.
  let hashes = none
  return {
    add: (added) => {
      const { pattern, key } = added
      const others = byKey.get(key) ?? []
      if (others.some((other) => Buffer.compare(other.pattern, pattern) === 0)) return
      byKey.set(key, [...others, added])
      if (hashes === none) hashes = new Uint8Array(2 ** HASH_BITS)
      hashes[hashOf(key)] = 1
    },
    find: (bytes, found) => {
      if (hashes === none) return
      for (const pattern of present(bytes, { byKey, hashes })) findAll(bytes, pattern, found)
    },
  }
}

/** The offset of the four bytes with the most distinct values. Four equal bytes would match in every run of that byte. */
function mostTelling(pattern: Uint8Array): number {
  let best = 0
  let most = 0
  for (let offset = 0; offset <= pattern.length - KEY_BYTES && most < KEY_BYTES; offset++) {
    const different = differentBytes(pattern, offset)
    if (different > most) [best, most] = [offset, different]
  }
  return best
}

/** How many values the four bytes have. */
function differentBytes(pattern: Uint8Array, offset: number): number {
  let count = 0
  for (let at = offset; at < offset + KEY_BYTES; at++) {
    const first = pattern.indexOf(pattern[at]!, offset)
    if (first === at) count++
  }
  return count
}

const keyAt = (pattern: Uint8Array, offset: number): number =>
  pattern.subarray(offset, offset + KEY_BYTES).reduce((key, byte) => (key << 8) | byte, 0)

const HASH_BITS = 13
const none = new Uint8Array(0)

const hashOf = (key: number): number => Math.imul(key, 0x9e3779b1) >>> (32 - HASH_BITS)

function present(bytes: Uint8Array, { byKey, hashes }: Index): ReadonlySet<Uint8Array> {
  const there = new Set<Uint8Array>()
  let key = 0
  for (let at = 0; at < bytes.length; at++) {
    key = (key << 8) | bytes[at]!
    if (hashes[hashOf(key)] === 0 || at < KEY_BYTES - 1) continue
    for (const { pattern, offset } of byKey.get(key) ?? []) {
      const start = at - KEY_BYTES + 1 - offset
      if (start >= 0 && !there.has(pattern) && isLikely(bytes, start, pattern)) there.add(pattern)
    }
  }
  return there
}

/** Compares both ends, so that bytes that only begin like the pattern seldom pass. */
function isLikely(bytes: Uint8Array, start: number, pattern: Uint8Array): boolean {
  const last = pattern.length - 1
  if (start + last >= bytes.length) return false
  const length = Math.min(pattern.length, PROBE)
  for (let nth = 0; nth < length; nth++) {
    if (bytes[start + nth] !== pattern[nth]) return false
    if (bytes[start + last - nth] !== pattern[last - nth]) return false
  }
  return true
}

function findAll(bytes: Uint8Array, pattern: Uint8Array, found: (start: number, end: number) => void): void {
  const borders = bordersOf(pattern)
  let matched = 0
  for (let at = 0; at < bytes.length; at++) {
    while (matched > 0 && bytes[at] !== pattern[matched]) matched = borders[matched - 1]!
    if (bytes[at] === pattern[matched]) matched++
    if (matched < pattern.length) continue
    found(at + 1 - matched, at + 1)
    matched = borders[matched - 1]!
  }
}

/** For each prefix of the pattern, the length of its longest proper prefix that is also its suffix. */
function bordersOf(pattern: Uint8Array): Int32Array {
  const borders = new Int32Array(pattern.length)
  let length = 0
  for (let at = 1; at < pattern.length; at++) {
    while (length > 0 && pattern[at] !== pattern[length]) length = borders[length - 1]!
    if (pattern[at] === pattern[length]) length++
    borders[at] = length
  }
  return borders
}
