/**
 * Counters of failed authentications, in memory that threads share. Finds the counters of a name (an address, or a part of
 * a credential): the same ones in every thread. The memory has a fixed size: a new name replaces the one whose last failure
 * is oldest, and only the counts of that name are lost.
 */
import { hash, randomBytes } from 'node:crypto'

/** The words of a row. Read and write them only with Atomics. */
export type Row = BigInt64Array

/** The owner of the row: a hash of the name; 0 for a free row. */
export const OWNER = 0
/** When the bucket of failures will be full again; without a limit, when the last failure was. */
export const FULL = 1
/** The number of the window of its last failure, and whether the first failure of that window was reported. */
export const WINDOW = 2
/** Failures of the window that were answered with 429. */
export const LIMITED = 3
/** Failures of the window after the first, by family of routes. */
export const COUNTS = 4

const WORDS_PER_ROW = 8
/** Rows that a name may use. */
const ROWS_PER_SET = 8
/** 2048 sets of 8 rows take 1 MiB. */
const SETS = 2048

/** Words before the rows, which all rows share. */
const HEAD_WORDS = 8
/** Keeps callers from choosing names that evict each other. */
const SALT = 0
/** The number of the current window. */
export const CURRENT_WINDOW = 1
/** Log lines in the current window. */
export const LINES = 2
/** The number of addresses without lines of their own, and of their failures. */
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

/** Where the row of the owner begins, or the row that it may take over: a free one, or the one with the oldest failure. */
function placeOf(owner: bigint, words: BigInt64Array, start: number): number {
  let oldest = start
  for (let at = start; at < start + ROWS_PER_SET * WORDS_PER_ROW; at += WORDS_PER_ROW) {
    if (Atomics.load(words, at + OWNER) === owner) return at
    if (Atomics.load(words, at + FULL) < Atomics.load(words, oldest + FULL)) oldest = at
  }
  return oldest
}

/** A thread that still uses the row may count a failure of its former owner here: at worst one answer is wrong. */
function takeOver(row: Row, owner: bigint, head: BigInt64Array): boolean {
  const before = Atomics.load(row, OWNER)
  if (Atomics.compareExchange(row, OWNER, before, owner) !== before) return false
  Atomics.store(row, FULL, 0n)
  Atomics.store(row, WINDOW, 0n)
  const { total } = takeCounts(row)
  if (total > 0) Atomics.add(head, OTHER_FAILURES, BigInt(total))
  return true
}

/** Returns the counts and sets them to 0, so that only one thread reports them. */
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
