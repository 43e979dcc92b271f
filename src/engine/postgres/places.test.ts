import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { compareDecimals, parseDecimal } from '../../kernel/decimal.ts'
import { compareCodePoints } from '../../kernel/text.ts'
import { isWritable, type Place, placeOfInteger, placeOfText } from './places.ts'

const units = [
  '\0',
  'a',
  'b',
  '\ud7ff',
  '\ud800',
  '\ud835',
  '\udc00',
  '\udfff',
  '\ue000',
  '\uffff',
  '\u{1d4b3}',
]
const text = fc
  .array(fc.constantFrom(...units, '\u{10ffff}'), { maxLength: 4 })
  .map((characters) => characters.join(''))

/** Whether a value is less than the literal, by the place of the literal. */
const isLess = ({ less }: Place, order: number) =>
  less === '<' ? order < 0 : less === '<=' ? order <= 0 : less === 'all'

describe('the place of a literal', () => {
  it('is the place of a text among the texts that a database can hold', () => {
    const property = fc.property(text, text, (literal, other) => {
      fc.pre(isWritable(other))
      const place = placeOfText(literal)
      assert.equal(
        isLess(place, compareCodePoints(other, String(place.value))),
        compareCodePoints(other, literal) < 0,
      )
      assert.equal(place.isItself, isWritable(literal))
      assert.ok(isWritable(String(place.value)))
    })
    fc.assert(property, { numRuns: 3000 })
  })

  it('is the place of a number among integers', () => {
    for (const literal of ['10', '10.5', '-0.5', '-3', '1e400', '-1e400', '0.000001', '-0.000001']) {
      const number = parseDecimal(literal)
      assert.ok(number)
      const place = placeOfInteger(number)
      for (const value of [-4, -3, -2, -1, 0, 1, 9, 10, 11]) {
        const order = compareDecimals(parseDecimal(String(value)) ?? number, number)
        assert.equal(isLess(place, value - Number(place.value)), order < 0, `${value} ${literal}`)
        assert.equal(place.isItself && place.value === value, order === 0)
      }
    }
  })
})
