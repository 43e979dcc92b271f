import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { parseNumber } from './number-text.ts'
import { numberBeside, numericText } from './numeric-text.ts'

describe('numericText', () => {
  const numbers: readonly (readonly [text: string, number: number])[] = [
    ['0', 0],
    ['10', 10],
    ['007', 7],
    ['-0.5', -0.5],
    ['+5', 5],
    ['.5', 0.5],
    ['5.', 5],
    ['1e3', 1000],
    ['1.5E-2', 0.015],
    [' \t\n\v\f\r5 \t\n\v\f\r', 5],
    ['1e400', Number.POSITIVE_INFINITY],
    ['9007199254740993', 9007199254740992],
  ]
  for (const [text, number] of numbers) {
    it(`reads ${JSON.stringify(text)} as ${number}`, () => assert.equal(numericText(text), number))
  }

  const others = ['', ' ', '.', '+', '-', 'e3', '1e', '1e+', '1.2.3', '+ 5', '--5', '5-', '(5)', '1,5']
  const more = ['1,000', '1 000', '1_000', '0x1F', '0b1', '10%', '$5', '¤5', 'NaN', 'Infinity', 'ten', '1a']
  for (const text of [...others, ...more, '\u00a05', '٣', '５', 'true', '2025-01-31']) {
    it(`does not read ${JSON.stringify(text)} as a number`, () => assert.equal(numericText(text), null))
  }

  it('reads a text as ToNumber does, or not at all', () => {
    const characters = fc.constantFrom(...'0159.,+-eE() ¤\t')
    const texts = fc.string({ unit: characters, maxLength: 8 })
    fc.assert(
      fc.property(texts, (text) => {
        const number = numericText(text)
        assert.ok(number === null || Object.is(number, parseNumber(text)))
      }),
      { numRuns: 2000 },
    )
  })

  it('reads every number as it is written in JSON', () => {
    const numbers = fc.double({ noNaN: true, noDefaultInfinity: true })
    fc.assert(fc.property(numbers, (number) => assert.equal(numericText(JSON.stringify(number)), number + 0)))
  })

  it('takes time in proportion to the length of the text', () => {
    for (const part of ['1', ' ', '1.', '+']) assert.doesNotThrow(() => numericText(part.repeat(2_000_000)))
  })
})

describe('numberBeside', () => {
  it('reads a text beside a number only', () => {
    const context = { work: () => undefined }
    assert.equal(numberBeside(1, '5', context), 5)
    assert.equal(numberBeside('1', 5, context), 5)
    for (const other of ['1', true, null]) assert.equal(numberBeside(other, '5', context), null)
    for (const value of [true, null]) assert.equal(numberBeside(1, value, context), null)
  })

  it('counts the work of reading a long text', () => {
    let units = 0
    const work = (more: number) => {
      units += more
    }
    numberBeside(1, '5'.repeat(100), { work })
    assert.equal(units, 0)
    numberBeside(1, '5'.repeat(100_000), { work })
    assert.equal(units, 1000)
  })
})
