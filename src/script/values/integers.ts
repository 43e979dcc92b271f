/** Numbers that have to be integers: some are rounded, others are refused unless they are integers. */
import { ScriptFailure } from '../failure.ts'
import { numberToText } from './number-text.ts'

const BEYOND = 2 ** 31

/** "ToInteger" of the language reference, 4.1: the nearest 32-bit integer, ties to even. @throws ScriptFailure JM5002 */
export function toInteger(value: number, what: string): number {
  if ((value | 0) === value) return value
  const below = Math.floor(value)
  const rest = value - below
  const nearest = rest > 0.5 || (rest === 0.5 && below % 2 !== 0) ? below + 1 : below
  if (nearest >= -BEYOND && nearest < BEYOND) return nearest
  throw new ScriptFailure('JM5002', `${numberToText(value)} is out of range as ${what}`)
}

/** @throws ScriptFailure JM5904 */
export function requireInteger(value: number, native: string, what: string): void {
  if (Number.isInteger(value)) return
  throw new ScriptFailure('JM5904', `${native} needs an integer as ${what}, not ${numberToText(value)}`)
}

/** Requires a 32-bit integer, for positions. @throws ScriptFailure JM5904, JM5002 */
export function requirePosition(value: number, native: string, what: string): void {
  requireInteger(value, native, what)
  if (value >= -(2 ** 31) && value < 2 ** 31) return
  throw new ScriptFailure('JM5002', `${native}: ${numberToText(value)} is out of range as ${what}`)
}
