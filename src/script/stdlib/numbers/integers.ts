/** Numbers that functions need to be integers. */
import { ScriptFailure } from '../../failure.ts'
import { numberToText } from '../../values/number-text.ts'

/** @throws ScriptFailure JM5904 */
export function requireInteger(value: number, native: string, what: string): void {
  if (Number.isInteger(value)) return
  throw new ScriptFailure('JM5904', `${native} needs an integer as ${what}, not ${numberToText(value)}`)
}

/** For integers that are positions: 32 bits hold them. @throws ScriptFailure JM5904, JM5002 */
export function requirePosition(value: number, native: string, what: string): void {
  requireInteger(value, native, what)
  if (value >= -(2 ** 31) && value < 2 ** 31) return
  throw new ScriptFailure('JM5002', `${native}: ${numberToText(value)} is out of range as ${what}`)
}
