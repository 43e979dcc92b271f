/** Checks the bytes that a script leaves in `Data._binary`, as base64. They are decoded only where they are sent. */
import { type Limits, limitReached } from '../../script/problems.ts'
import { kindOf, type Value } from '../../script/values.ts'
import { badAnswer } from '../problems.ts'

/**
 * Takes base64 and base64url, with or without padding, without line breaks.
 *
 * @throws Problem END120 for anything else
 * @throws ScriptFailure when the bytes are over the limit of the payload
 */
export function readBinary(value: Value, limits: Limits): string {
  const expected = 'the base64 of the bytes to send, without spaces and line breaks,'
  if (typeof value !== 'string') throw badAnswer('Data._binary', expected, kindOf(value))
  const unpadded = value.length - (/={0,2}$/.exec(value.slice(-2))?.[0].length ?? 0)
  const sizeBytes = Math.floor((unpadded * 3) / 4)
  if (sizeBytes > limits.outputBytes) throw limitReached('outputBytes', limits)
  // Decoding skips what is no base64, so that fewer bytes come out.
  const isWhole = unpadded % 4 !== 1 && Buffer.from(value, 'base64').length === sizeBytes
  if (!isWhole) throw badAnswer('Data._binary', expected, `a text of ${value.length} characters that is not`)
  return value
}
