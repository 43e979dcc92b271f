/**
 * Decimals against arithmetic on BigInt: every law here is checked on numbers written as integers over a power of ten, so
 * that no expectation passes through a binary fraction.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  compareDecimals,
  DECIMAL_PLACES,
  DECIMAL_SCALE,
  type Decimal,
  formatDecimal,
  formatScaled,
  MAX_SCALED,
  parseDecimal,
  scaledExactly,
  scaledFloor,
} from './decimal.ts'

/** A number as `units / 10^places`, and one way of writing it. */
type Written = { readonly text: string; readonly units: bigint; readonly places: number }

/** Writes `units / 10^places` with leading zeros, trailing zeros and an exponent that moves the point. */
const written: fc.Arbitrary<Written> = fc
  .record({
    units: fc.oneof(fc.bigInt({ min: -(10n ** 22n), max: 10n ** 22n }), fc.bigInt({ min: -200n, max: 200n })),
    places: fc.integer({ min: 0, max: 24 }),
    leading: fc.integer({ min: 0, max: 3 }),
    trailing: fc.integer({ min: 0, max: 3 }),
    power: fc.option(fc.integer({ min: -30, max: 30 })),
    mark: fc.constantFrom('e', 'E'),
  })
  .map(({ units, places, leading, trailing, power, mark }) => {
    const shifted = Math.max(0, places + (power ?? 0)) // digits after the point once the exponent has moved it
    const zeros = Math.max(0, -(places + (power ?? 0)))
    const digits = (units < 0n ? -units : units).toString() + '0'.repeat(zeros)
    const padded = digits.padStart(shifted + 1, '0')
    const whole = '0'.repeat(leading) + padded.slice(0, padded.length - shifted)
    const fraction = padded.slice(padded.length - shifted) + '0'.repeat(shifted > 0 ? trailing : 0)
    const plain = fraction === '' ? whole : `${whole}.${fraction}`
    const sign = units < 0n ? '-' : ''
    return { text: `${sign}${plain}${power === null ? '' : `${mark}${power}`}`, units, places }
  })

const scaledAmount = fc.oneof(
  fc.integer({ min: -300_000, max: 300_000 }),
  fc.maxSafeInteger(),
  fc.constantFrom(MAX_SCALED, -MAX_SCALED, MAX_SCALED - 1),
)

describe('parseDecimal', () => {
  const accepted: readonly (readonly [text: string, parsed: Decimal])[] = [
    ['0', { negative: false, digits: '', exponent: 0 }],
    ['-0', { negative: false, digits: '', exponent: 0 }],
    ['0.000', { negative: false, digits: '', exponent: 0 }],
    ['0e99', { negative: false, digits: '', exponent: 0 }],
    ['1', { negative: false, digits: '1', exponent: 1 }],
    ['-1', { negative: true, digits: '1', exponent: 1 }],
    ['10', { negative: false, digits: '1', exponent: 2 }],
    ['0012.50', { negative: false, digits: '125', exponent: 2 }],
    ['0.5', { negative: false, digits: '5', exponent: 0 }],
    ['0.00001', { negative: false, digits: '1', exponent: -4 }],
    ['1e-5', { negative: false, digits: '1', exponent: -4 }],
    ['1E+3', { negative: false, digits: '1', exponent: 4 }],
    ['-1.5e3', { negative: true, digits: '15', exponent: 4 }],
    ['1e400', { negative: false, digits: '1', exponent: 401 }],
  ]
  for (const [text, parsed] of accepted) {
    it(`reads '${text}'`, () => assert.deepEqual(parseDecimal(text), parsed))
  }

  const refused = [
    '',
    ' ',
    '-',
    '+1',
    ' 1',
    '1 ',
    '1.',
    '.5',
    '1,000',
    '1e',
    '1e5.0',
    '--1',
    '0x10',
    '1_000',
    '١',
  ]
  for (const text of [...refused, 'NaN', 'Infinity', '1\n', '1.2.3', 'ABC', '2026-01-01', '1e5e5']) {
    it(`refuses ${JSON.stringify(text)}`, () => assert.equal(parseDecimal(text), undefined))
  }

  it('reads every spelling of a number as the same decimal', () => {
    fc.assert(
      fc.property(written, ({ text, units, places }) => {
        assert.deepEqual(parseDecimal(text), parsedPlain(units, places), text)
      }),
      { numRuns: 500 },
    )
  })
})

describe('compareDecimals', () => {
  it('orders as the exact numbers do', () => {
    fc.assert(
      fc.property(written, written, (a, b) => {
        assert.equal(signOf(compareDecimals(read(a.text), read(b.text))), compareExactly(a, b))
      }),
      { numRuns: 1000 },
    )
  })

  it('tells apart numbers that differ in their last place only', () => {
    fc.assert(
      fc.property(written, ({ units, places }) => {
        const [a, b] = [plainText(units, places), plainText(units + 1n, places)]
        assert.ok(compareDecimals(read(a), read(b)) < 0, `${a} < ${b}`)
        assert.ok(compareDecimals(read(b), read(a)) > 0, `${b} > ${a}`)
      }),
    )
  })

  const ascending = [
    '-1e400',
    '-2',
    '-1.5',
    '-1e-400',
    '0',
    '1e-400',
    '0.00001',
    '0.1',
    '1',
    '9',
    '10',
    '1e400',
  ]
  it('orders numbers of very different sizes', () => {
    for (const [i, a] of ascending.entries()) {
      for (const [j, b] of ascending.entries()) {
        assert.equal(signOf(compareDecimals(read(a), read(b))), Math.sign(i - j), `${a} and ${b}`)
      }
    }
  })
})

describe('scaledFloor', () => {
  const rows: readonly (readonly [text: string, scaled: number, exact: boolean])[] = [
    ['0', 0, true],
    ['1', 100_000, true],
    ['-1', -100_000, true],
    ['0.00001', 1, true],
    ['-0.00001', -1, true],
    ['0.000011', 1, false],
    ['-0.000011', -2, false],
    ['0.000001', 0, false],
    ['-0.000001', -1, false],
    ['0.999999', 99_999, false],
    ['-0.999999', -100_000, false],
    ['123.45678', 12_345_678, true],
    ['1e-400', 0, false],
    ['-1e-400', -1, false],
    ['90071992547.40991', MAX_SCALED, true],
    ['-90071992547.40991', -MAX_SCALED, true],
    ['90071992547.40992', Infinity, false],
    ['-90071992547.40992', -Infinity, false],
    ['90071992547.409915', MAX_SCALED, false],
    ['99999999999.99999', Infinity, false],
    ['1e11', Infinity, false],
    ['-1e11', -Infinity, false],
    ['1e400', Infinity, false],
    ['-1e400', -Infinity, false],
    [`1e${'9'.repeat(30)}`, Infinity, false],
    [`-1e-${'9'.repeat(30)}`, -1, false],
  ]
  for (const [text, scaled, exact] of rows) {
    it(`puts ${text} at ${scaled}${exact ? '' : ' and a bit'}`, () => {
      assert.deepEqual(scaledFloor(read(text)), { scaled, exact })
    })
  }

  it('is the greatest scaled integer not above the number', () => {
    fc.assert(
      fc.property(written, ({ text, units, places }) => {
        const { scaled, exact } = scaledFloor(read(text))
        if (!Number.isFinite(scaled)) return assertBeyondLimit(units, places, scaled)
        assert.ok(
          compareExactly(scaledNumber(BigInt(scaled)), { units, places }) <= 0,
          `${scaled} is not above`,
        )
        assert.ok(
          compareExactly(scaledNumber(BigInt(scaled) + 1n), { units, places }) > 0,
          'the next one is above',
        )
        assert.equal(exact, compareExactly(scaledNumber(BigInt(scaled)), { units, places }) === 0)
        assert.ok(!Object.is(scaled, -0), 'zero has no sign')
      }),
      { numRuns: 1000 },
    )
  })

  it('decides every comparison of a stored amount with a number', () => {
    fc.assert(
      fc.property(scaledAmount, written, (stored, { text, units, places }) => {
        const { scaled, exact } = scaledFloor(read(text))
        const order = compareExactly(scaledNumber(BigInt(stored)), { units, places })
        assert.equal(stored <= scaled && !(exact && stored === scaled), order < 0, 'less')
        assert.equal(exact && stored === scaled, order === 0, 'equal')
        assert.equal(stored > scaled, order > 0, 'greater')
      }),
      { numRuns: 1000 },
    )
  })
})

describe('scaledExactly', () => {
  const rows: readonly (readonly [text: string, scaled: number | undefined])[] = [
    ['0.00001', 1],
    ['-2.5', -250_000],
    ['1e-5', 1],
    ['1e-6', undefined],
    ['0.123456', undefined],
    ['90071992547.40991', MAX_SCALED],
    ['90071992547.40992', undefined],
    ['1e400', undefined],
  ]
  for (const [text, scaled] of rows) {
    it(`answers ${scaled} for ${text}`, () => assert.equal(scaledExactly(read(text)), scaled))
  }
})

describe('formatScaled', () => {
  const rows: readonly (readonly [scaled: number, text: string])[] = [
    [0, '0'],
    [-0, '0'],
    [1, '0.00001'],
    [-1, '-0.00001'],
    [10, '0.0001'],
    [100_000, '1'],
    [-150_000, '-1.5'],
    [1_000_000, '10'],
    [12_345_678, '123.45678'],
    [99_999, '0.99999'],
    [MAX_SCALED, '90071992547.40991'],
    [-MAX_SCALED, '-90071992547.40991'],
    [9_007_199_254_699_999, '90071992546.99999'],
  ]
  for (const [scaled, text] of rows) {
    it(`writes ${scaled} as ${text}`, () => assert.equal(formatScaled(scaled), text))
  }

  it('is read back as the same amount', () => {
    fc.assert(
      fc.property(scaledAmount, (scaled) => {
        assert.equal(scaledExactly(read(formatScaled(scaled))), scaled)
      }),
      { numRuns: 1000 },
    )
  })

  it('is the number that JavaScript writes, as long as a double can tell neighbouring amounts apart', () => {
    const limit = 2 ** 36 * DECIMAL_SCALE - 1 // from there on two neighbouring amounts may be one double
    fc.assert(
      fc.property(fc.integer({ min: -limit, max: limit }), (scaled) => {
        assert.equal(String(JSON.parse(formatScaled(scaled))), formatScaled(scaled))
      }),
      { numRuns: 1000 },
    )
  })
})

describe('formatDecimal', () => {
  const rows: readonly (readonly [text: string, plain: string])[] = [
    ['0', '0'],
    ['-0.0', '0'],
    ['007', '7'],
    ['1.50', '1.5'],
    ['-1.5e3', '-1500'],
    ['1e-5', '0.00001'],
    ['12e2', '1200'],
    ['1.23e1', '12.3'],
    ['1e20', '100000000000000000000'],
  ]
  for (const [text, plain] of rows) {
    it(`writes ${text} as ${plain}`, () => assert.equal(formatDecimal(read(text)), plain))
  }

  it('is the shortest plain notation of the number', () => {
    fc.assert(
      fc.property(written, ({ text, units, places }) => {
        assert.equal(formatDecimal(read(text)), plainText(units, places))
      }),
      { numRuns: 500 },
    )
  })

  it('keeps huge exponents in exponent form that reads back as the same number', () => {
    for (const text of ['1e400', '-12.5e60', '3e-99']) {
      const formatted = formatDecimal(read(text))
      assert.ok(formatted.length < 20, formatted)
      assert.deepEqual(parseDecimal(formatted), parseDecimal(text))
    }
  })
})

/** The sign of a comparison, never the negative zero. */
const signOf = (comparison: number): number => Math.sign(comparison) + 0

function read(text: string): Decimal {
  const decimal = parseDecimal(text)
  assert.ok(decimal, `${text} is a number`)
  return decimal
}

const scaledNumber = (units: bigint) => ({ units, places: DECIMAL_PLACES })

type Exact = { readonly units: bigint; readonly places: number }

function compareExactly(a: Exact, b: Exact): number {
  const left = a.units * 10n ** BigInt(b.places)
  const right = b.units * 10n ** BigInt(a.places)
  return left < right ? -1 : left > right ? 1 : 0
}

function assertBeyondLimit(units: bigint, places: number, scaled: number): void {
  const limit = scaledNumber(scaled > 0 ? BigInt(MAX_SCALED) : -BigInt(MAX_SCALED))
  assert.equal(compareExactly({ units, places }, limit), Math.sign(scaled))
}

/** `units / 10^places` without exponent and without needless zeros. */
function plainText(units: bigint, places: number): string {
  const digits = (units < 0n ? -units : units).toString().padStart(places + 1, '0')
  const whole = digits.slice(0, digits.length - places)
  const fraction = digits.slice(digits.length - places).replace(/0+$/, '')
  return `${units < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`
}

function parsedPlain(units: bigint, places: number): Decimal {
  const magnitude = (units < 0n ? -units : units).toString()
  if (magnitude === '0') return { negative: false, digits: '', exponent: 0 }
  return { negative: units < 0n, digits: magnitude.replace(/0+$/, ''), exponent: magnitude.length - places }
}
