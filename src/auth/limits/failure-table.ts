/**
 * Counters of those who failed to authenticate, in memory that threads share. A name enters (an address, or the beginning of
 * a key), its counters leave: the same ones in every thread. However many names there are, the memory stays as it is: who
 * failed longest ago makes room for who fails now, and only loses the count.
 */
import { hash, randomBytes } from 'node:crypto'

/** Words of a row: to be read and written with Atomics only. */
export type Row = BigInt64Array

/** Who the row belongs to: a hash of the name; 0 for nobody. */
export const OWNER = 0
/** The moment at which the bucket of failures will be full again; where there is no limit, that of the last failure. */
export const FULL = 1
/** The number of the window in which its last failure was, and whether that window's first failure was told. */
export const WINDOW = 2
/** Failures of the window that were answered with 429. */
export const LIMITED = 3
/** Failures of the window after the first, by family of routes. */
export const COUNTS = 4

const WORDS_PER_ROW = 8
/** Rows among which a name may lie. */
const ROWS_PER_SET = 8
/** 1 MiB. */
const SETS = 2048

/** Before the rows: what all of them have in common. */
const HEAD_WORDS = 8
/** Keeps callers from choosing names that push each other out. */
const SALT = 0
/** The number of the current window. */
export const CURRENT_WINDOW = 1
/** Lines that were written in it. */
export const LINES = 2
/** Addresses whose failures were not told one by one, and their failures. */
export const OTHER_ADDRESSES = 3
export const OTHER_FAILURES = 4

export type FailureTable = {
  readonly head: BigInt64Array
  readonly rowOf: (name: string) => Row
}

export function createFailureMemory(sets: number = SETS): SharedArrayBuffer {
  const memory = new SharedArrayBuffer((HEAD_WORDS + sets * ROWS_PER_SET * WORDS_PER_ROW) * 8)
  new BigInt64Array(memory)[SALT] = randomBytes(8).readBigInt64LE()
  return memory
}

export function openFailureTable(memory: SharedArrayBuffer): FailureTable {
  const head = new BigInt64Array(memory, 0, HEAD_WORDS)
  const words = new BigInt64Array(memory, HEAD_WORDS * 8)
  const sets = words.length / (ROWS_PER_SET * WORDS_PER_ROW)
  const salt = String(head[SALT])
  const rowOf = (name: string): Row => {
    const digest = hash('sha256', salt + name, 'buffer')
    const owner = digest.readBigInt64LE() || 1n
    const start = (digest.readUInt32LE(8) % sets) * ROWS_PER_SET * WORDS_PER_ROW
    for (;;) {
      const at = placeOf(owner, words, start)
      const row = words.subarray(at, at + WORDS_PER_ROW)
      if (Atomics.load(row, OWNER) === owner || takeOver(row, owner, head)) return row
    }
  }
  return { head, rowOf }
}

/** Where the row of the owner begins, or the one that it may take over: a free one, or that of who failed longest ago. */
function placeOf(owner: bigint, words: BigInt64Array, start: number): number {
  let oldest = start
  for (let at = start; at < start + ROWS_PER_SET * WORDS_PER_ROW; at += WORDS_PER_ROW) {
    if (Atomics.load(words, at + OWNER) === owner) return at
    if (Atomics.load(words, at + FULL) < Atomics.load(words, oldest + FULL)) oldest = at
  }
  return oldest
}

/** A thread that still holds the row counts a failure of its former owner here, at worst: one answer may be off. */
function takeOver(row: Row, owner: bigint, head: BigInt64Array): boolean {
  const before = Atomics.load(row, OWNER)
  if (Atomics.compareExchange(row, OWNER, before, owner) !== before) return false
  Atomics.store(row, FULL, 0n)
  Atomics.store(row, WINDOW, 0n)
  const { total } = takeCounts(row)
  if (total > 0) Atomics.add(head, OTHER_FAILURES, BigInt(total))
  return true
}

/** What was counted, which is then nobody else's to tell. */
export function takeCounts(row: Row): {
  readonly byFamily: readonly number[]
  readonly total: number
  readonly limited: number
} {
  const byFamily: number[] = []
  for (let at = COUNTS; at < WORDS_PER_ROW; at++) byFamily.push(Number(Atomics.exchange(row, at, 0n)))
  const limited = Number(Atomics.exchange(row, LIMITED, 0n))
  return { byFamily, total: byFamily.reduce((sum, count) => sum + count, 0), limited }
}
