import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { campaignSeed, repeated } from '../../../../test/campaign.ts'
import { ScriptFailure } from '../../failure.ts'
import { fails, testContext } from '../../testing/context.ts'
import { patternTester } from './patterns.ts'

const matches = (pattern: string, text: string) => patternTester(pattern, testContext())(text)

describe('patternTester', () => {
  const rows: readonly (readonly [
    pattern: string,
    matching: readonly string[],
    others: readonly string[],
  ])[] = [
    ['', ['', 'a'], []],
    ['b', ['abc'], ['ac', 'B']],
    ['^a$', ['a'], ['ba', 'ab', 'a\n', 'b\na\nb']],
    ['a|^b', ['xa', 'bx'], ['xb']],
    ['.', ['a', '😀', '\u0085'], ['', '\n', '\r', '\u2028', '\u2029']],
    ['^.$', ['😀'], ['ab']],
    ['^\\d$', ['7'], ['٣', 'a']],
    ['^\\D$', ['٣', 'a'], ['7']],
    ['^\\w+$', ['a_1'], ['é', '-']],
    ['^\\W$', ['é'], ['a']],
    ['^\\s$', [' ', '\t', '\v', '\u00a0', '\ufeff', '\u2028'], ['a', '\u200b', '\u0085']],
    ['^\\S$', ['a', '\u200b'], [' ', '\v', '\ufeff']],
    ['^[\\s\\d]$', ['1', '\ufeff'], ['a']],
    ['^[^\\s]$', ['a'], ['\u00a0']],
    ['^[\\S]$', ['a'], ['\u00a0']],
    ['\\bcat\\b', ['a cat'], ['cats']],
    ['\\Bat', ['cat'], ['at']],
    ['^a{2}$', ['aa'], ['a']],
    ['^a{2,}$', ['aaa'], ['a']],
    ['^a{1,2}?$', ['aa'], ['aaa']],
    ['^a*?b+?c??$', ['b', 'aabc'], ['a']],
    ['^{a}$', ['{a}'], ['a']],
    ['^a{,2}$', ['a{,2}'], ['aa']],
    ['^[a-c]$', ['b'], ['d', '-']],
    ['^[^a-c]$', ['d', '\n'], ['b']],
    ['^[a-]$', ['a', '-'], ['b']],
    ['^[-a]$', ['a', '-'], ['b']],
    ['^[\\w-.]$', ['a', '-', '.'], ['+']],
    ['^[a-\\d]$', ['a', '-', '5'], ['b']],
    ['^[[:alpha:]]$', [':]', 'a]'], ['a', 'b']],
    ['^[\\]\\\\^]$', [']', '\\', '^'], ['a']],
    ['^[\\b]$', ['\b'], ['b']],
    ['[]', [], ['', 'a']],
    ['^[^]$', ['\n', 'a'], ['']],
    ['^\\x41\\u0042\\u{43}\\cA\\0$', ['ABC\u0001\u0000'], ['ABC']],
    ['^\\u{1F600}$', ['😀'], ['a']],
    ['^\\ud83d\\ude00$', ['😀'], ['a']],
    ['^[\\ud83d\\ude00-\\ud83d\\ude02]$', ['😁'], ['😃']],
    ['^\\t\\n\\v\\f\\r$', ['\t\n\v\f\r'], ['tnvfr']],
    ['^\\.\\/\\-\\_$', ['./-_'], ['a/-_']],
    ['^(a)(?:b)(?<name>c)$', ['abc'], ['ab']],
    ['^(?<$a>x)(?<$a2>y)$', ['xy'], ['x']],
    ['(?<=a)b', ['ab'], ['b', 'cb']],
    ['(?<!a)b', ['b', 'cb'], ['ab']],
    ['^(?i)a(?-i:b)$', ['Ab', 'ab'], ['AB']],
    ['^\\p{L}$', ['é', 'Ω'], ['1']],
    ['^\\p{Letter}+$', ['é'], ['1']],
    ['^\\P{Lu}$', ['a'], ['A']],
    ['^[\\p{Lu}\\p{Nd}]$', ['A', '٣'], ['a']],
    ['^\\p{gc=Decimal_Number}$', ['٣'], ['a']],
    ['^\\p{General_Category=Sc}$', ['€'], ['E']],
    ['^\\p{Script=Greek}$', ['Ω'], ['O']],
    ['^\\p{sc=Cyrillic}$', ['Ж'], ['Z']],
    ['^é$', ['é'], ['e']],
    ['^\\é$', ['é'], ['e']],
  ]
  for (const [pattern, matching, others] of rows) {
    it(`matches ${JSON.stringify(pattern)}`, () => {
      for (const text of matching) assert.equal(matches(pattern, text), true, JSON.stringify(text))
      for (const text of others) assert.equal(matches(pattern, text), false, JSON.stringify(text))
    })
  }

  const refused = [
    'a**',
    'a{2,1}',
    'a{1001}',
    '(?=a)',
    '(?!a)',
    '(?<=(a)\\1)b',
    '(a)\\1',
    '(?<a>b)\\k<a>',
    '(?>a)',
    '(?P<a>b)',
    '(?m)^a',
    '(?s).',
    '(?#comment)',
    'a'.repeat(5001),
    '(?:.{900}|a.{900}b){20}',
  ]
  for (const pattern of refused) {
    it(`refuses ${JSON.stringify(pattern.slice(0, 40))}`, () => {
      fails('JM5701', () => matches(pattern, 'a'))
    })
  }

  for (const pattern of [
    '(',
    ')',
    '*',
    '[',
    '[a',
    '[b-a]',
    '\\',
    '\\01',
    '\\A',
    '\\C',
    '\\Q.\\E',
    '\\Z',
    '\\a',
    '\\c1',
    '\\pL',
    '\\p{Block=Latin}',
    '\\p{Greek}',
    '\\p{Nothing}',
    '\\p{Script=Lu}',
    '\\p{Script=Nothing}',
    '\\u12',
    '\\u{110000}',
    '\\x4',
    '\\z',
    `${'('.repeat(2000)}${')'.repeat(2001)}`,
  ]) {
    it(`finds malformed ${JSON.stringify(pattern.slice(0, 40))}`, () => {
      fails('JM5002', () => matches(pattern, 'a'))
    })
  }

  it('refuses a match that would take too long, whatever the pattern', () => {
    const tester = patternTester('^(?:[ab]*a[ab]{900}c)$', testContext())
    assert.equal(tester('ab'.repeat(1000)), false)
    fails('JM5700', () => tester('ab'.repeat(100_000)))
    assert.equal(matches('(a*)*$', `${'a'.repeat(50_000)}b`), true)
    assert.equal(matches('^(a+)+$', `${'a'.repeat(50_000)}b`), false)
  })

  it('counts compiling and matching', () => {
    const context = testContext()
    const tester = patternTester('a{500}', context)
    assert.ok(context.units >= 500)
    assert.ok(context.bytes >= 500)
    context.mostUnits = context.units + 1000
    fails('JM5903', () => tester('a'.repeat(10_000)))
  })

  // Without \B, which V8 also matches between the two halves of a surrogate pair.
  it('agrees with JavaScript on every pattern that it accepts', () => {
    const pieces = fc.constantFrom(
      ...[
        'a',
        'b',
        '1',
        ' ',
        '.',
        '^',
        '$',
        '|',
        '*',
        '+',
        '?',
        '{1,2}',
        '(',
        ')',
        '(?:',
        '(?<=',
        '(?<!',
        '[',
        ']',
        '[^',
        '-',
      ],
      ...[
        '\\d',
        '\\D',
        '\\w',
        '\\W',
        '\\s',
        '\\S',
        '\\b',
        '\\n',
        '\\.',
        '\\-',
        '\\u0061',
        '\\u{62}',
        '\\p{L}',
        '\\P{Lu}',
      ],
    )
    const text = fc.string({
      unit: fc.constantFrom('a', 'b', 'A', '1', ' ', '-', '\n', '\u00a0', 'é', '😀', '.'),
      maxLength: 6,
    })
    let compared = 0
    fc.assert(
      fc.property(
        fc.array(pieces, { maxLength: 8 }),
        fc.array(text, { minLength: 3, maxLength: 6 }),
        (parts, texts) => {
          const pattern = parts.join('')
          let expected: RegExp
          try {
            expected = new RegExp(pattern, 'u')
          } catch {
            return
          }
          try {
            const tester = patternTester(pattern, testContext())
            for (const each of texts) {
              assert.equal(tester(each), expected.test(each), `${pattern} on ${JSON.stringify(each)}`)
              compared++
            }
          } catch (failure) {
            if (!(failure instanceof ScriptFailure && ['JM5701', 'JM5002'].includes(failure.code)))
              throw failure
          }
        },
      ),
      { seed: campaignSeed, numRuns: repeated(1500, 50_000) },
    )
    assert.ok(compared > 1000)
  })
})
