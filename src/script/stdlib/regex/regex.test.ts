/**
 * Regular expressions as in .NET: what each construct matches, and what is refused.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { entries, fails, plainOf, run, testContext } from '../../testing/context.ts'
import { checkPattern } from './check-pattern.ts'
import { compilePattern } from './compile.ts'
import { regexFunctions } from './regex.ts'

const call = (name: string, text: string, pattern: string): unknown => {
  const found = regexFunctions.find((native) => native.name === name)
  assert.ok(found !== undefined, name)
  return plainOf(run(found, [text, pattern], testContext()))
}

type Row = readonly [pattern: string, text: string, matches: readonly string[]]

/** All matches of each pattern in a text. */
const rows: readonly Row[] = [
  // Literals, alternatives and quantifiers: the first alternative wins, not the longest.
  ['', 'ab', ['', '', '']],
  ['a|ab', 'ab', ['a']],
  ['ab|a', 'ab', ['ab']],
  ['a*', 'aab', ['aa', '', '']],
  ['a*?', 'aa', ['', '', '']],
  ['a+?', 'aa', ['a', 'a']],
  ['a??b', 'ab', ['ab']],
  ['a{2}', 'aaaaa', ['aa', 'aa']],
  ['a{2,}', 'aaaaa', ['aaaaa']],
  ['a{1,2}?', 'aa', ['a', 'a']],
  ['a{,2}', 'a{,2}', ['a{,2}']],
  ['{', '{', ['{']],
  ['a{2', 'a{2', ['a{2']],
  ['x{1, 2}', 'x{1, 2}', ['x{1, 2}']],
  ['}]', '}]', ['}]']],
  ['(?:a?){3}b', 'aab', ['aab']],
  // A dot matches anything but a line feed.
  ['.+', 'a\r\u2028b\nc', ['a\r\u2028b', 'c']],
  ['(?s).+', 'a\nb', ['a\nb']],
  ['(?s:.)(?-s:.)', 'a\nb', ['\nb']],
  // Ends of texts and lines.
  ['^a', 'a\na', ['a']],
  ['(?m)^a', 'a\na', ['a', 'a']],
  ['a$', 'a\na\n', ['a']],
  ['a\\Z', 'a\n', ['a']],
  ['a\\z', 'a\n', []],
  ['\\Aa', 'aa', ['a']],
  ['a$', 'a\r\n', []],
  ['(?m)a$', 'a\nab\na', ['a', 'a']],
  ['$', 'a\n', ['', '']],
  ['a\n$', 'a\n', ['a\n']],
  ['a$\n', 'a\n', ['a\n']],
  ['$\\s', 'a\n\n', ['\n']],
  ['[^a]$', 'b\n', ['b', '\n']],
  ['(?m)$', 'a\n\n', ['', '', '']],
  ['(?m)^', 'a\n', ['', '']],
  ['\\Ga', 'aaba', ['a', 'a']],
  ['\\G\\d*', '12a', ['12', '']],
  // Sets of characters are those of Unicode.
  ['\\d+', '12٣x', ['12٣']],
  ['\\w+', 'né_1 ж-\u203fe\u0301', ['né_1', 'ж', '\u203fe\u0301']],
  ['\\W', 'a\u200db', ['\u200d']],
  ['\\s', 'a\u0085\u2003\ufeff', ['\u0085', '\u2003']],
  ['\\S\\D', 'a1bc', ['1b']],
  ['\\b\\w', 'né dé', ['n', 'd']],
  ['\\bé', 'né é', ['é']],
  ['a\\b', 'a\u200d a', ['a']],
  ['\\B.', 'ab c', ['b']],
  ['\\p{Lu}', 'aÉb', ['É']],
  ['\\P{L}+', 'a12b', ['12']],
  ['\\p{IsCyrillic}+', 'aжяb', ['жя']],
  ['[\\p{IsBasicLatin}-[a-z]]', 'aBé', ['B']],
  ['\\p{Sc}', '5€', ['€']],
  // Character classes.
  ['[]a]+', 'a]b', ['a]']],
  ['[^]a]', 'a]b', ['b']],
  ['[a-c-]+', 'b-d', ['b-']],
  ['[-a]+', 'a-b', ['a-']],
  ['[a-]+', 'a-b', ['a-']],
  ['[\\d-z]+', '1-z', ['1-z']],
  ['[a\\-z]+', 'a-mz', ['a-', 'z']],
  ['[\\--z]+', '-z.', ['-z']],
  ['[\\b]', 'a\b', ['\b']],
  ['[\\w-[\\d]]+', 'a1b', ['a', 'b']],
  ['[a-z-[aeiou-[e]]]+', 'abeo', ['be']],
  ['[^a-c-[x]]', 'axd', ['d']],
  ['[a-a-[a]]', 'a', []],
  ['[a-[b]]', 'ab-', ['a']],
  ['[.*+?(){}|^$]+', 'a.*+?(){}|^$b', ['.*+?(){}|^$']],
  ['[\\]\\[]', '[a]', ['[', ']']],
  // Escapes.
  ['\\x41\\u0042\\060[\\103]', 'AB0C', ['AB0C']],
  ['\\t\\n\\r\\f\\v\\a\\e\\0', '\t\n\r\f\v\x07\x1b\0', ['\t\n\r\f\v\x07\x1b\0']],
  ['\\cA\\ca\\c[', '\x01\x01\x1b', ['\x01\x01\x1b']],
  ['\\.\\*\\\\\\ \\#\\-', '.*\\ #-', ['.*\\ #-']],
  // Case, as in the invariant culture.
  ['(?i)straße', 'STRAßE STRASSE', ['STRAßE']],
  ['(?i)k', 'kK\u212a', ['k', 'K', '\u212a']],
  ['(?i)s', 'sS\u017f', ['s', 'S']],
  ['(?i)i', 'iI\u0131\u0130', ['i', 'I']],
  ['(?i)σ', 'σΣς', ['σ', 'Σ']],
  ['(?i)[a-c]+', 'aBCd', ['aBC']],
  ['(?i)[^a]', 'aAb', ['b']],
  ['a(?i)b', 'aB', ['aB']],
  ['a(?i)b', 'AB', []],
  ['(a(?i)b)c', 'aBc', ['aBc']],
  ['(a(?i)b)c', 'aBC', []],
  ['a(?i)b|c', 'C', ['C']],
  ['(?I)a(?-I)b', 'Ab', ['Ab']],
  ['(?i:a)b', 'AB', []],
  // Blanks and comments.
  ['(?x) a b # c\n c [ ]', 'abc ', ['abc ']],
  ['(?x)a \\ b', 'a b', ['a b']],
  ['(?x)a + ?', 'aa', ['a', 'a']],
  ['(?x)a\u00a0', 'a\u00a0', ['a\u00a0']],
  ['a(?#no)+', 'aa', ['aa']],
  // By UTF-16 unit: an astral character is two.
  ['^..$', '😀', ['😀']],
  ['.', '😀', ['\ud83d', '\ude00']],
  ['😀', 'a😀', ['😀']],
  ['[😀]', '😀', ['\ud83d', '\ude00']],
  ['😀+', '😀\ude00', ['😀\ude00']],
  ['\\ud83d', '😀', ['\ud83d']],
  ['\\w', '𝒜', []],
  ['\\p{Cs}{2}', '😀', ['😀']],
]

describe('RegexMatchAll', () => {
  for (const [pattern, text, matches] of rows) {
    it(`of ${JSON.stringify(pattern)} in ${JSON.stringify(text)} is ${JSON.stringify(matches)}`, () => {
      assert.deepEqual(call('RegexMatchAll', text, pattern), matches)
      assert.equal(call('RegexMatch', text, pattern), matches[0] ?? null)
      assert.equal(call('RegexTest', text, pattern), matches.length > 0)
    })
  }
})

describe('RegexMatchDetail', () => {
  const details: readonly (readonly [string, string, string, number, readonly string[]])[] = [
    ['(\\w)(\\d)?', '-a', 'a', 1, ['a', '']],
    ['(?<k>\\w+)=(\\d+)', '; x=12', 'x=12', 2, ['12', 'x']],
    ["(?'k'a)(b)(?:c)(d)", 'abcd', 'abcd', 0, ['b', 'd', 'a']],
    ['(?n)(a)(?<k>b)', 'ab', 'ab', 0, ['b']],
    ['(?:(a)|b)+', 'ab', 'ab', 0, ['a']],
    ['(a|b)+', 'ab', 'ab', 0, ['b']],
    ['(a*)?b', 'b', 'b', 0, ['']],
    ['(a?){3}', 'aa', 'aa', 0, ['']],
    ['(a){0}b', 'ab', 'b', 1, ['']],
    ['((a)(b))', '😀ab', 'ab', 2, ['ab', 'a', 'b']],
  ]
  for (const [pattern, text, match, index, groups] of details) {
    it(`of ${pattern} in ${text} tells ${match} at ${index} with ${JSON.stringify(groups)}`, () => {
      const expected = entries(['match', match], ['index', index], ['groups', groups])
      assert.deepEqual(call('RegexMatchDetail', text, pattern), expected)
    })
  }

  it('is null if nothing matches', () => assert.equal(call('RegexMatchDetail', 'a', 'b'), null))
})

describe('a pattern that is wrong or has no exact meaning here', () => {
  const refused: readonly (readonly [string, RegExp])[] = [
    ['a(?=b)', /look-ahead '\(\?='.*character 2/],
    ['(?!b)', /negative look-ahead/],
    ['(?<=a)', /look-behind/],
    ['(?<!a)', /negative look-behind/],
    ['(?>a)', /atomic group/],
    ['(a)?(?(1)b)', /conditional/],
    ['(?<a-b>c)', /Balancing/],
    ['(a)\\1', /back-reference '\\1'/],
    ['(?<n>a)\\k<n>', /back-reference '\\k'/],
    ['(?<1>a)', /number for a name/],
    ['(?<n>a)|(?<n>b)', /Two groups with the name 'n'/],
    ['(a*)*', /empty text/],
    ['(?:a|b?)+', /empty text/],
    ['(?:\\b)*', /empty text/],
    ['(?:a?){2,3}', /empty text/],
    ['(?m)^a\\Z', /together/],
    ['a\\G', /\\G/],
    ['(?:\\Ga|b)', /\\G/],
    ['\\p{Nope}', /'Nope'/],
    ['(?i)\\p{Lu}', /'Lu'/],
    ['\\pL', /braces/],
    ['[[:alpha:]]', /\[:/],
    ['(a', /not closed/],
    ['a)', /closes nothing/],
    ['[a', /not closed/],
    ['[', /not closed/],
    ['[]', /not closed/],
    ['(?#a', /not closed/],
    ['*', /nothing/],
    ['a|+', /nothing/],
    ['(?i)*', /nothing/],
    ['{2}', /nothing/],
    ['a**', /follows another quantifier/],
    ['a*{2}', /follows another quantifier/],
    ['a???', /follows another quantifier/],
    ['a{3,2}', /a maximum below its minimum/],
    ['a{1001}', /more than 1000/],
    ['(a{1000}){1000}', /too large/],
    ['(?:(?:(?:a{50}){50}){50}){50}', /too large/],
    ['(?:\\w{1,500}){1,500}', /too large/],
    ['(?z)', /\(\?/],
    ['(?P<n>a)', /\(\?/],
    ['(?<>a)', /name/],
    ['\\q', /'\\q'/],
    ['\\_', /'\\_'/],
    ['\\', /backslash/],
    ['\\x4', /hexadecimal/],
    ['\\u00g0', /hexadecimal/],
    ['\\c1', /control/],
    ['[b-a]', /before it begins/],
    ['[a-\\d]', /end in a set/],
    ['[a-[b]c]', /last/],
    ['('.repeat(10_000), /longer/],
    ['('.repeat(3000), /too deeply/],
    [`${'['.repeat(1)}${'a-['.repeat(1000)}`, /too deeply/],
  ]
  for (const [pattern, message] of refused) {
    it(`is refused: ${pattern.slice(0, 40)}`, () => {
      assert.throws(() => compilePattern(pattern), { name: 'PatternFault', message })
      for (const name of ['RegexTest', 'RegexMatch', 'RegexMatchAll', 'RegexMatchDetail']) {
        fails('JM5701', () => call(name, 'aaa', pattern))
      }
    })
  }

  it('is found by checkPattern', () => {
    for (const [pattern] of rows) assert.equal(checkPattern(pattern), null, pattern)
  })

  it('is found before the run if only this engine cannot match it, and left to the run if it is invalid', () => {
    for (const pattern of ['(?=a)', '(?<!a)', '(?>a)', '(a)\\1', '(?(1)a|b)', '(a*)*', 'a{1,5000}']) {
      assert.ok(checkPattern(pattern), pattern)
    }
    for (const pattern of ['(', ')', '[', '*', 'a{3,1}', '(?z)', '\\p{', '[b-a]']) {
      assert.equal(checkPattern(pattern), null, pattern)
    }
  })

  it('is refused when it distinguishes too many letters for word boundaries', () => {
    const letters = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_'].join('')
    assert.equal(checkPattern(letters), null)
    assert.match(checkPattern(`\\b${letters}`) ?? 'fine', /distinguishes too many letters/)
  })
})
