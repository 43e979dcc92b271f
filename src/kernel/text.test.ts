/**
 * The text laws that all engines rely on. Folding must not depend on neighbouring letters, and the order of code
 * points must be the order of the UTF-8 bytes, which is what a database with `COLLATE "C"` compares.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { anyCharacter } from '../../test/fixtures/any-character.ts'
import { codePointLength, compareCodePoints, fold } from './text.ts'

/** Letters whose case rules differ from `+ 32`: final sigma, dotted I, eszett, ligatures, Deseret, titlecase digraphs. */
const casedLetter = fc.constantFrom(...'ΣσςİıßẞﬁǅKÅΩЖжÀé𐐀𐐨AbZ1 .\u0307\u0345')
const wellFormed = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 12 }),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
  fc.array(casedLetter, { maxLength: 10 }).map((letters) => letters.join('')),
)
/** Code points around the surrogate gap, where UTF-16 order and code point order differ. */
const nearSurrogates = fc
  .array(fc.constantFrom('\ud7ff', '\ue000', '\uffff', '\ufffd', '𐀀', '😀', '\u{10ffff}', 'a', '\0'), {
    maxLength: 6,
  })
  .map((letters) => letters.join(''))

describe('fold', () => {
  const rows: readonly (readonly [text: string, folded: string])[] = [
    ['', ''],
    ['FARE', 'fare'],
    ['Ünïcödé', 'ünïcödé'],
    ['ΟΔΟΣ', 'οδοσ'],
    ['οδος', 'οδοσ'],
    ['Σ', 'σ'],
    ['İstanbul', 'i\u0307stanbul'],
    ['ISTANBUL', 'istanbul'],
    ['Straße', 'straße'],
    ['STRASSE', 'strasse'],
    ['ẞ', 'ß'],
    ['𐐀', '𐐨'],
    ['ǅ', 'ǆ'],
    ['123 -_', '123 -_'],
  ]
  for (const [text, folded] of rows) {
    it(`folds ${JSON.stringify(text)} to ${JSON.stringify(folded)}`, () => {
      assert.equal(fold(text), folded)
    })
  }

  it('folds a concatenation to the concatenation of the folded parts', () => {
    fc.assert(
      fc.property(wellFormed, wellFormed, (a, b) => {
        assert.equal(fold(a + b), fold(a) + fold(b))
      }),
      { numRuns: 1000 },
    )
  })

  it('leaves folded text as it is', () => {
    fc.assert(
      fc.property(wellFormed, (text) => {
        assert.equal(fold(fold(text)), fold(text))
      }),
    )
  })

  it('keeps every prefix, suffix and part of a text a prefix, suffix and part', () => {
    fc.assert(
      fc.property(wellFormed, wellFormed, wellFormed, (before, part, after) => {
        const whole = fold(before + part + after)
        assert.ok(whole.startsWith(fold(before)))
        assert.ok(whole.includes(fold(part)))
        assert.ok(whole.endsWith(fold(after)))
      }),
    )
  })

  it('folds every single code point to its lower case, except the final sigma', () => {
    for (let point = 0; point <= 0x10ffff; point++) {
      if (point >= 0xd800 && point <= 0xdfff) continue
      const letter = String.fromCodePoint(point)
      const expected = letter === 'ς' ? 'σ' : letter.toLowerCase()
      if (fold(letter) !== expected) assert.fail(`U+${point.toString(16)} folds to ${fold(letter)}`)
    }
  })
})

describe('compareCodePoints', () => {
  /** Ascending in code point order; UTF-16 order would put the last two before U+E000. */
  const ascending = [
    '',
    '\0',
    'A',
    'AA',
    'B',
    'Z',
    'a',
    'é',
    'ő',
    '日',
    '\ud7ff',
    '\ue000',
    '\uffff',
    '𐀀',
    '😀',
  ]
  it('orders every pair of a list by its place in the list', () => {
    for (const [i, a] of ascending.entries()) {
      for (const [j, b] of ascending.entries()) {
        assert.equal(Math.sign(compareCodePoints(a, b)), Math.sign(i - j), JSON.stringify([a, b]))
      }
    }
  })

  it('orders as the UTF-8 bytes do', () => {
    const text = fc.oneof(wellFormed, nearSurrogates)
    fc.assert(
      fc.property(text, text, text, (common, a, b) => {
        const bytes = Buffer.compare(Buffer.from(common + a), Buffer.from(common + b))
        assert.equal(Math.sign(compareCodePoints(common + a, common + b)), bytes)
      }),
      { numRuns: 1000 },
    )
  })

  it('orders as the code points do', () => {
    const text = fc.oneof(wellFormed, nearSurrogates)
    fc.assert(
      fc.property(text, text, (a, b) => {
        assert.equal(Math.sign(compareCodePoints(a, b)), compareLists(points(a), points(b)))
      }),
      { numRuns: 1000 },
    )
  })
})

describe('codePointLength', () => {
  const rows: readonly (readonly [text: string, length: number])[] = [
    ['', 0],
    ['abc', 3],
    ['é', 1],
    ['e\u0301', 2],
    ['日本語', 3],
    ['😀', 1],
    ['a😀b', 3],
    ['👩‍👩‍👧', 5],
    ['\ud83d', 1],
    ['\ude00\ud83d', 2],
    ['\ud83d\ud83d\ude00', 2],
  ]
  for (const [text, length] of rows) {
    it(`counts ${length} in ${JSON.stringify(text)}`, () => {
      assert.equal(codePointLength(text), length)
    })
  }

  it('counts what iterating the text yields, unpaired surrogates included', () => {
    const anyUnits = fc.array(fc.integer({ min: 0xd700, max: 0xe0ff }), { maxLength: 8 })
    fc.assert(
      fc.property(
        fc.oneof(
          wellFormed,
          anyUnits.map((units) => String.fromCharCode(...units)),
        ),
        (text) => {
          assert.equal(codePointLength(text), [...text].length)
        },
      ),
    )
  })
})

const points = (text: string): readonly number[] => [...text].map((letter) => letter.codePointAt(0) ?? 0)

function compareLists(a: readonly number[], b: readonly number[]): number {
  for (const [i, x] of a.entries()) {
    const y = b[i]
    if (y === undefined) return 1
    if (x !== y) return Math.sign(x - y)
  }
  return Math.sign(a.length - b.length)
}
