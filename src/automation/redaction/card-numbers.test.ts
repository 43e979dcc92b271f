import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { maskCardNumbers } from './card-numbers.ts'
import { createRedaction } from './redaction.ts'

/** Numbers that the networks publish for tests, and their last digits. */
const cards: readonly [number: string, end: string][] = [
  ['4111111111111111', '1111'],
  ['4222222222222', '2222'],
  ['5555555555554444', '4444'],
  ['2223003122003222', '3222'],
  ['378282246310005', '0005'],
  ['30569309025904', '5904'],
  ['6011111111111117', '1117'],
  ['3530111333300000', '0000'],
  ['6304000000000000', '0000'],
  ['135410014004955', '4955'],
]

const luhn = (digits: string): string => {
  for (let check = 0; check < 10; check++) {
    const all = digits + check
    let sum = 0
    for (const [nth, character] of [...all].reverse().entries()) {
      const value = Number(character) * (nth % 2 === 1 ? 2 : 1)
      sum += value > 9 ? value - 9 : value
    }
    if (sum % 10 === 0) return all
  }
  throw new Error('One of ten digits fits')
}

const digits = (length: number) =>
  fc
    .array(fc.integer({ min: 0, max: 9 }), { minLength: length, maxLength: length })
    .map((all) => all.join(''))

/** A number of an issuer, by beginning and length. */
const card = fc
  .constantFrom(
    ...([
      ['4', 13],
      ['4', 16],
      ['4', 19],
      ['51', 16],
      ['55', 16],
      ['2221', 16],
      ['2720', 16],
      ['34', 15],
      ['37', 15],
      ['36', 14],
      ['305', 14],
      ['3528', 16],
      ['3589', 16],
      ['62', 16],
      ['62', 19],
      ['6011', 16],
      ['5018', 16],
      ['1', 15],
    ] as const),
  )
  .chain(([beginning, length]) => digits(length - beginning.length - 1).map((rest) => luhn(beginning + rest)))

const grouped = (number: string, separator: string): string =>
  (number.length === 15 ? number.match(/^(.{4})(.{6})(.*)$/)!.slice(1) : number.match(/.{1,4}/g)!).join(
    separator,
  )

const around = fc.constantFrom('', ' ', ', ', '"', 'card: ', 'VI', '\n', '(', 'Größe ', 'x=', '/12.26 ', '. ')

describe('numbers of payment cards', () => {
  for (const [number, end] of cards) {
    it(`are masked in every usual way to write them: ${number}`, () => {
      for (const separator of ['', ' ', '-', '.', '\u00a0']) {
        const text = `pay with ${grouped(number, separator)}, please`
        assert.equal(maskCardNumbers(text), `pay with [card ending ${end}], please`)
      }
    })
  }

  it('are masked wherever they stand, and nothing else changes', () => {
    fc.assert(
      fc.property(card, fc.constantFrom('', ' ', '-'), around, around, (number, separator, before, after) => {
        const written = grouped(number, separator)
        const masked = maskCardNumbers(`${before}${written}${after}`)
        assert.equal(masked, `${before}[card ending ${number.slice(-4)}]${after}`)
      }),
      { numRuns: 300 },
    )
  })

  it('are masked in JSON, which stays JSON, in forms, headers, addresses and messages', () => {
    const redaction = createRedaction([])
    const body =
      '{"pan":4111111111111111,"text":"4111 1111 1111 1111","more":"\\u0034111111111111111","n":1.50}'
    const masked = redaction.body(body, 'json')
    assert.doesNotThrow(() => JSON.parse(masked))
    assert.ok(!/1111.?1111/.test(masked), masked)
    assert.ok(masked.endsWith('"n":1.50}'))
    assert.ok(!redaction.body('a=1&card=4111+1111+1111+1111', 'form').includes('1111+1111'))
    assert.ok(!redaction.queryString('?card=4111%201111%201111%201111').includes('1111%201111'))
    assert.equal(redaction.headers({ 'x-card': '4111111111111111' })['x-card'], '[card ending 1111]')
    assert.equal(redaction.message('Found 4111111111111111'), 'Found [card ending 1111]')
    const keeping = createRedaction([], { cardNumbers: 'keep' })
    assert.equal(keeping.body(body, 'json'), body)
  })

  for (const [what, text] of [
    ['times', '2026-01-31T12:00:00.123Z 20260131120000 20260131120000123 1767225600000 1767225600000000'],
    ['spans of dates', '2026-01-31 2026-02-28, 31.01.2026 28.02.2026'],
    ['numbers of tickets', '2201234567890 220-1234567891 0571234567892 6181234567894 1761234567893'],
    ['fractions', '0.4111111111111111 4111.1111111111111 12.4111111111111111'],
    ['ids', '41111111-1111-4111-8111-111111111111 a4111111111111111bbbbbbbbbbbbbbbbbbb'],
    ['long numbers', '411111111111111111111111'],
    ['telephone numbers', '+49 30 1234 5678, +1 (555) 010-9999'],
    ['lists of numbers', '4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1'],
  ] as const) {
    it(`are not seen in ${what}`, () => {
      assert.equal(maskCardNumbers(text), text)
    })
  }

  it('are not seen in numbers with a wrong check digit', () => {
    fc.assert(
      fc.property(
        card,
        fc.integer({ min: 1, max: 9 }),
        fc.constantFrom('', ' ', '-'),
        (number, more, separator) => {
          const wrong = number.slice(0, -1) + ((Number(number.at(-1)) + more) % 10)
          const text = `locator ${grouped(wrong, separator)}.`
          // The first groups alone may be the number of a card.
          fc.pre(separator === '' || number.length !== 19)
          assert.equal(maskCardNumbers(text), text)
        },
      ),
      { numRuns: 300 },
    )
  })

  it('take time in proportion to the length of a text', () => {
    const text = '4111 '.repeat(200_000)
    const began = process.cpuUsage()
    maskCardNumbers(text)
    maskCardNumbers('1'.repeat(1_000_000))
    const { user } = process.cpuUsage(began)
    assert.ok(user < 5_000_000)
  })
})
