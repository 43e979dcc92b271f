/** Numbers as indexes and positions (language reference, 4.1: "ToInteger"). */
import { ScriptFailure } from '../failure.ts'
import { numberToText } from './number-text.ts'

const BEYOND = 2 ** 31

/** The nearest integer of 32 bits, of two the even one. @throws ScriptFailure JM5002 naming what it is for */
export function toInteger(value: number, what: string): number {
  if ((value | 0) === value) return value
  const below = Math.floor(value)
  const rest = value - below
  const nearest = rest > 0.5 || (rest === 0.5 && below % 2 !== 0) ? below + 1 : below
  if (nearest >= -BEYOND && nearest < BEYOND) return nearest
  throw new ScriptFailure('JM5002', `${numberToText(value)} is out of range as ${what}`)
}
