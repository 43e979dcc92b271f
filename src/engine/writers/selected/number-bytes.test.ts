import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { DECIMAL_SCALE, formatScaled } from '../../../kernel/decimal.ts'
import { amountBytes, integerBytes, MOST_NUMBER_BYTES, MOST_WHOLE } from './number-bytes.ts'

/** Writes into just the room that is promised to suffice. */
function written(write: typeof integerBytes, value: number): string {
  const room = Buffer.alloc(MOST_NUMBER_BYTES)
  const end = write(value, new DataView(room.buffer, room.byteOffset, room.byteLength), 0)
  return room.toString('latin1', 0, end)
}

const edges = [0, 9, 10, 99, 100, 999, 1000, 9999, 10_000, 99_999_999, 100_000_000, MOST_WHOLE]
const whole = fc.oneof(
  fc.integer({ min: -MOST_WHOLE, max: MOST_WHOLE }),
  fc.constantFrom(...edges, ...edges.map((edge) => -edge)),
)

describe('bytes of numbers', () => {
  it('are the digits of any whole number', () => {
    fc.assert(fc.property(whole, (value) => assert.equal(written(integerBytes, value), String(value))))
  })

  it('are the canonical text of any amount', () => {
    const amount = fc.oneof(
      fc.tuple(whole, fc.nat(DECIMAL_SCALE - 1)).map(([units, fraction]) => {
        return Math.abs(units) === MOST_WHOLE ? units * DECIMAL_SCALE : units * DECIMAL_SCALE + fraction
      }),
      fc.integer(),
      fc.constantFrom(0, -0, 1, -1, 1000, 10_000, 99_999, 100_000, -100_001, 10_010_000),
    )
    fc.assert(
      fc.property(amount, (scaled) => assert.equal(written(amountBytes, scaled), formatScaled(scaled))),
      { numRuns: 1000 },
    )
  })
})
