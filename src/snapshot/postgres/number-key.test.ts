import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { compareDecimals, type Decimal, parseDecimal } from '../../kernel/decimal.ts'
import { compareCodePoints } from '../../kernel/text.ts'
import { numberKey } from './number-key.ts'

const numbers = [
  '0',
  '-1',
  '1',
  '1.0',
  '0.12',
  '0.123',
  '-0.12',
  '-0.123',
  '1e400',
  '-1e400',
  '10',
  '9',
].concat([
  '1e-400',
  '9007199254740993',
  '9007199254740992.0',
  '1e99999',
  `1e${'9'.repeat(400)}`,
  '-1e-7',
  '99e-2',
])

const number = fc.oneof(
  fc.constantFrom(...numbers),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.tuple(fc.bigInt(), fc.integer({ min: -30, max: 30 })).map(([whole, power]) => `${whole}e${power}`),
)

const read = (text: string): Decimal => parseDecimal(text.replace('e+', 'e')) as Decimal

describe('the key of a number', () => {
  it('has the order of the numbers', () => {
    const property = fc.property(number, number, (a, b) => {
      const order = compareCodePoints(numberKey(read(a)), numberKey(read(b)))
      assert.equal(Math.sign(order), Math.sign(compareDecimals(read(a), read(b))), `${a} ${b}`)
    })
    fc.assert(property, { numRuns: 500 })
  })

  it('is the same for all pairs of unusual numbers', () => {
    for (const a of numbers) {
      for (const b of numbers) {
        const order = compareCodePoints(numberKey(read(a)), numberKey(read(b)))
        assert.equal(Math.sign(order), Math.sign(compareDecimals(read(a), read(b))), `${a} ${b}`)
      }
    }
  })
})
