/**
 * Repeatable random numbers: the same integer seed gives the same stream on every machine. The generator is sfc32 of the
 * PractRand suite (Chris Doty-Humphrey, public domain), seeded and warmed up as there; not for secrets.
 */

export type Random = {
  /** In [0, 1). */
  next(): number
  /** An integer in [0, limit). */
  below(limit: number): number
  /** An integer from first to last, both included. */
  between(first: number, last: number): number
  chance(probability: number): boolean
  pick<T>(list: readonly T[]): T
  /** Like pick, but chooses the front of the list far more often than its end. */
  pickEarly<T>(list: readonly T[]): T
}

export function createRandom(seed: number): Random {
  const word = sfc32(seed | 0, Math.floor(seed / 2 ** 32) | 0)
  const next = () => word() / 2 ** 32
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    next,
    below,
    between: (first, last) => first + below(last - first + 1),
    chance: (probability) => next() < probability,
    pick: (list) => at(list, below(list.length)),
    pickEarly: (list) => at(list, Math.floor(next() ** 2 * list.length)),
  }
}

/** Scatters an integer over all 32 bits (the finaliser of MurmurHash3): one number per key, without any state. */
export function scatter(key: number): number {
  let h = key | 0
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}

/** Chooses by a scattered key: the same key gives the same element. */
export function choose<T>(list: readonly T[], key: number): T {
  return at(list, key % list.length)
}

function at<T>(list: readonly T[], index: number): T {
  const element = list[index]
  if (element === undefined) throw new RangeError(`No element ${index} in a list of ${list.length}`)
  return element
}

function sfc32(low: number, high: number): () => number {
  let a = low
  let b = high
  let c = 0
  let counter = 1
  const word = () => {
    const sum = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + sum) | 0
    return sum >>> 0
  }
  for (let round = 0; round < 12; round++) word()
  return word
}
