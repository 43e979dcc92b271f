import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { parseInstant } from '../../../kernel/calendar.ts'
import { compareDecimals, parseDecimal } from '../../../kernel/decimal.ts'
import { fold } from '../../../kernel/text.ts'
import { dictionaryOf } from '../testing/partitions.ts'
import { runWork } from '../work.ts'
import { codesContaining, codesEndingWith } from './folded-blocks.ts'
import { codeAt, instantTexts, numericTexts } from './parsed-texts.ts'

const letters = fc.constantFrom(
  'a',
  'A',
  'b',
  'B',
  '_',
  '\n',
  'İ',
  'ς',
  'Σ',
  '\u{1d4b3}',
  '\uffee',
  '\ud800',
  '1',
)
const text = fc.string({ unit: letters, maxLength: 5 })
const dictionary = fc.array(text, { maxLength: 60 }).map(dictionaryOf)

const codesOf = (size: number): number[] => Array.from({ length: size }, (_, code) => code)

function listed(ranges: readonly number[]): number[] {
  const codes: number[] = []
  for (let i = 0; i < ranges.length; i += 2) {
    for (let code = ranges[i]!; code <= ranges[i + 1]!; code++) codes.push(code)
  }
  return codes
}

describe('searching the folded texts', () => {
  const part = fc.string({ unit: letters, minLength: 1, maxLength: 3 }).map(fold)

  it('finds the texts that contain a part', async () => {
    await fc.assert(
      fc.asyncProperty(dictionary, part, async (texts, wanted) => {
        const expected = codesOf(texts.size).filter((code) => texts.folded(code).includes(wanted))
        assert.deepEqual(listed(await runWork(codesContaining(texts, wanted))), expected)
      }),
    )
  })

  it('finds the texts that end with a part', async () => {
    await fc.assert(
      fc.asyncProperty(dictionary, part, async (texts, wanted) => {
        const expected = codesOf(texts.size).filter((code) => texts.folded(code).endsWith(wanted))
        assert.deepEqual(listed(await runWork(codesEndingWith(texts, wanted))), expected)
      }),
    )
  })

  it('continues from one block of texts to the next', async () => {
    const texts = dictionaryOf(Array.from({ length: 9000 }, (_, i) => `N${String(i).padStart(4, '0')}`))
    assert.deepEqual(
      listed(await runWork(codesContaining(texts, '777'))),
      [777, ...tens(7770), 1777, 2777, 3777, 4777, 5777, 6777, 8777].sort((a, b) => a - b),
    )
    assert.deepEqual(listed(await runWork(codesEndingWith(texts, 'n8999'))), [8999])
  })

  const tens = (from: number): number[] => Array.from({ length: 10 }, (_, i) => from + i)
})

describe('parsed texts', () => {
  const mixed = fc.oneof(
    fc.constantFrom(
      '',
      '-',
      '-0',
      '0',
      '-5',
      '007',
      '7',
      '7.0',
      '1e3',
      '1000',
      '0.000001',
      '-1e99',
      '-1e999',
      '1e999',
      '1e999999999999999999999999',
      '-1e-999999999999999999999999',
    ),
    fc.constantFrom(
      'x1',
      '1x',
      '2026-01-01',
      '2026-01-01T12:00',
      '2026-01-01T13:00+01:00',
      '2026-02-30',
      '1e-999',
    ),
    fc.integer({ min: 0, max: 99 }).map((n) => `123456789012345678${n}`), // more digits than a double holds
    fc.integer({ min: 0, max: 99 }).map((n) => `-0.123456789012345678${n}`),
  )

  it('are the numbers among the texts, each with its place by exact value', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(mixed).map(dictionaryOf), mixed, async (texts, other) => {
        const parsed = await runWork(numericTexts(texts))
        const decimalOf = (code: number) => parseDecimal(texts.text(code))
        const numbers = codesOf(texts.size).filter((code) => decimalOf(code) !== undefined)
        assert.deepEqual(
          [...parsed.codes].sort((a, b) => a - b),
          numbers,
        )
        for (const code of codesOf(texts.size)) assert.equal(parsed.reads(code), numbers.includes(code))
        const wanted = parseDecimal(other)
        if (wanted === undefined) return
        const orders = [...parsed.codes].map((code) => compareDecimals(decimalOf(code)!, wanted))
        assert.deepEqual(parsed.placeOf(wanted), {
          from: orders.filter((order) => order < 0).length,
          above: orders.filter((order) => order <= 0).length,
        })
        assert.deepEqual(
          orders.map(Math.sign),
          orders.map(Math.sign).sort((a, b) => a - b),
        )
      }),
    )
  })

  it('are the dates among the texts, each with its place by instant', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(mixed).map(dictionaryOf), async (texts) => {
        const parsed = await runWork(instantTexts(texts))
        const dates = codesOf(texts.size).filter((code) => parseInstant(texts.text(code)) !== undefined)
        assert.deepEqual(
          [...parsed.codes].sort((a, b) => a - b),
          dates,
        )
        const instants = [...parsed.codes].map((code) => parseInstant(texts.text(code))!)
        assert.deepEqual(
          instants,
          [...instants].sort((a, b) => a - b),
        )
        for (const instant of [...instants, 0, Infinity]) {
          assert.deepEqual(parsed.placeOf(instant), {
            from: instants.filter((each) => each < instant).length,
            above: instants.filter((each) => each <= instant).length,
          })
        }
      }),
    )
  })
})

describe('codeAt', () => {
  it('is the first code whose folded text is not before the given one', () => {
    const texts = dictionaryOf(['b', 'B', 'a', 'c'])
    assert.deepEqual(
      ['', 'a', 'aa', 'b', 'c', 'd'].map((folded) => codeAt(texts, folded)),
      [0, 0, 1, 1, 3, 4],
    )
  })
})
