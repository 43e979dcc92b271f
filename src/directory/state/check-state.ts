/** What a value of the state may be. Also used by trials, which keep their changes in memory. */
import { badStateKey, stateIsNoNumber, stateValueTooLong, stepAsStateKey } from './problems.ts'

/** In UTF-16 units. */
const LONGEST_KEY = 200
const MOST_VALUE_BYTES = 2 ** 16

/** In addresses they lead to another one: to delete such a key with the admin API would delete the endpoint. */
const STEPS: ReadonlySet<string> = new Set(['.', '..'])

/** @param value JSON @returns the bytes of key and value @throws Problem DIR480, DIR481 */
export function checkStateEntry(key: string, value: string): number {
  if (key.length < 1 || key.length > LONGEST_KEY) throw badStateKey(LONGEST_KEY, key.length)
  if (STEPS.has(key)) throw stepAsStateKey(key)
  const bytes = Buffer.byteLength(value)
  if (bytes > MOST_VALUE_BYTES) throw stateValueTooLong(key, MOST_VALUE_BYTES, bytes)
  return bytes + Buffer.byteLength(key)
}

/** @param value JSON @throws Problem DIR483 when it is no number, or the sum is none */
export function sumOf(key: string, value: string, by: number): number {
  const before: unknown = JSON.parse(value)
  if (typeof before !== 'number') throw stateIsNoNumber(key, kindOf(before))
  const sum = before + by
  if (!Number.isFinite(sum)) throw stateIsNoNumber(key, 'a sum that is too large')
  return sum
}

const kindOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'an array' : `a value of type ${typeof value}`
