/** Numbers to texts and back: a row for each rule, and a round trip for random doubles. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { numberToText, parseNumber } from './number-text.ts'

describe('numberToText', () => {
  const rows: readonly (readonly [number, string])[] = [
    [0, '0'],
    [-0, '-0'],
    [100, '100'],
    [-12.5, '-12.5'],
    [0.1 + 0.2, '0.30000000000000004'],
    [1e15, '1000000000000000'],
    [1e16, '10000000000000000'],
    [99_999_999_999_999_984, '99999999999999980'],
    [1e17, '1E+17'],
    [Number('123456789012345678'), '1.2345678901234568E+17'],
    [1e21, '1E+21'],
    [-1.5e300, '-1.5E+300'],
    [0.001, '0.001'],
    [0.0001, '0.0001'],
    [0.00012, '0.00012'],
    [0.000_099_999, '9.9999E-05'],
    [0.00001, '1E-05'],
    [0.00002, '2E-05'],
    [2.5e-7, '2.5E-07'],
    [5e-324, '5E-324'],
    [Number.NaN, 'NaN'],
    [Number.POSITIVE_INFINITY, 'Infinity'],
    [Number.NEGATIVE_INFINITY, '-Infinity'],
  ]
  for (const [value, text] of rows) {
    it(`writes ${text}`, () => assert.equal(numberToText(value), text))
  }

  it('is read back as the same number, whatever the number', () => {
    fc.assert(
      fc.property(fc.double(), (value) => {
        assert.ok(Object.is(parseNumber(numberToText(value)), value))
      }),
    )
  })
})

describe('parseNumber', () => {
  const numbers: readonly (readonly [string, number])[] = [
    ['5', 5],
    ['  5\t\n\v\f\r', 5],
    ['-5', -5],
    ['+5', 5],
    ['5-', -5],
    ['5+', 5],
    ['5 -', -5],
    ['(5)', -5],
    [' (1,5) ', -15],
    ['1,000', 1000],
    ['1,2,3', 123],
    ['1,,2,', 12],
    ['007', 7],
    ['.5', 0.5],
    ['5.', 5],
    ['-.5', -0.5],
    ['1,234.5', 1234.5],
    ['1e3', 1000],
    ['1E+3', 1000],
    ['5.e-1', 0.5],
    ['1e400', Number.POSITIVE_INFINITY],
    ['-1e400', Number.NEGATIVE_INFINITY],
    ['1e-400', 0],
    ['-0', -0],
    ['¤5', 5],
    ['5¤', 5],
    ['-¤ 5', -5],
    ['¤ -5', -5],
    ['5 ¤-', -5],
    ['NaN', Number.NaN],
    ['+nan', Number.NaN],
    ['Infinity', Number.POSITIVE_INFINITY],
    [' +INFINITY ', Number.POSITIVE_INFINITY],
    ['-infinity', Number.NEGATIVE_INFINITY],
  ]
  for (const [text, value] of numbers) {
    it(`reads ${JSON.stringify(text)}`, () => assert.ok(Object.is(parseNumber(text), value)))
  }

  const noNumbers = [
    ['', ' ', '\u00a05', '5\u0085', '- 5', '+ 5', '-5-', '--5', '(-5)', '(5', '5)', '()', '( 5)'],
    ['.', ',5', '1.5,0', '1.2.3', '1 2', '1_000', '0x1F', '0b1', '1e', '1e+', 'e5', '1e5.0', '.e5'],
    ['¤', '¤5¤', '¤¤5', '$5', '٥', 'five', 'null', 'true', 'infinit', 'Infinityy', '- Infinity', '(NaN)'],
  ].flat()
  for (const text of noNumbers) {
    it(`does not read ${JSON.stringify(text)} as a number`, () => assert.equal(parseNumber(text), null))
  }

  it('reads all numbers that JavaScript writes', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true }), (value) => assert.ok(parseNumber(String(value)) === value)),
    )
  })

  it('never fails, whatever the text', () => {
    const pieces = fc.array(fc.constantFrom('1', '0', ',', '.', 'e', '+', '-', '(', ')', '¤', ' ', 'x'))
    fc.assert(
      fc.property(pieces, (units) => {
        const value = parseNumber(units.join(''))
        assert.ok(value === null || !Number.isNaN(value))
      }),
    )
  })
})
