import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { tokenize } from './lexer.ts'
import type { Token } from './tokens.ts'

const texts = (text: string): readonly string[] =>
  tokenize(text)
    .tokens.slice(0, -1)
    .map((token) => token.text)

const last = (text: string): Token => {
  const token = tokenize(text).tokens.at(-1)
  assert.ok(token)
  return token
}

const literalIn = (text: string): unknown => {
  const [token] = tokenize(text).tokens
  assert.ok(token?.kind === 'number' || token?.kind === 'string', `${text} is not a literal`)
  return token.value
}

describe('tokenize', () => {
  for (const [text, expected] of [
    ['a=b', ['a', '=', 'b']],
    ['a--b', ['a', '--', 'b']],
    ['a - -b', ['a', '-', '-', 'b']],
    ['a+++b', ['a', '++', '+', 'b']],
    ['a -=b', ['a', '-=', 'b']],
    ['a ?? b?c:d', ['a', '??', 'b', '?', 'c', ':', 'd']],
    ['x=>y>=z==w', ['x', '=>', 'y', '>=', 'z', '==', 'w']],
    ['a<=b<c!=d', ['a', '<=', 'b', '<', 'c', '!=', 'd']],
    ['a+=1 a*=1 a/=1 a%=1', ['a', '+=', '1', 'a', '*=', '1', 'a', '/=', '1', 'a', '%=', '1']],
    ['{a:[1,(2)]}.b', ['{', 'a', ':', '[', '1', ',', '(', '2', ')', ']', '}', '.', 'b']],
    ['12abc', ['12', 'abc']],
    ['0b102', ['0b10', '2']],
    ['0B1', ['0', 'B1']],
    ['1_000', ['1', '_000']],
    ['5.name', ['5.', 'name']],
    ['1.5.x', ['1.5', '.', 'x']],
    ['0x1Fg', ['0x1F', 'g']],
    ['1..2', ['1.', '.', '2']],
    ['endX', ['endX']],
    ['größe ⅷ', ['größe']],
    ['straße1_٣', ['straße1_٣']],
    ['a\u00a0b\u3000c\u0085d\fe', ['a', 'b', 'c', 'd', 'e']],
    ['\ufeffa', ['a']],
    ['a # b\nc', ['a', 'c']],
    ['"#" #', ['"#"']],
  ] as const) {
    it(`reads ${JSON.stringify(text)} as ${expected.join(' ')}`, () =>
      assert.deepEqual(texts(text), expected))
  }

  for (const [text, value] of [
    ['0', 0],
    ['007', 7],
    ['5.', 5],
    ['5.25', 5.25],
    ['1e3', 1000],
    ['1E+3', 1000],
    ['5.e-1', 0.5],
    ['1e999', Number.POSITIVE_INFINITY],
    ['0xFf', 255],
    ['0x7FFFFFFFFFFFFFFF', 2 ** 63],
    ['0x8000000000000000', -(2 ** 63)],
    ['0xFFFFFFFFFFFFFFFF', -1],
    ['0b101', 5],
    [`0b${'1'.repeat(64)}`, -1],
    ['"a"', 'a'],
    ["'a'", 'a'],
    ['"it\'s"', "it's"],
    ['\'say "hi"\'', 'say "hi"'],
    ['"\\n\\r\\t\\\\\\"\\\'\\0"', '\n\r\t\\"\'\0'],
    ["'\\n\\r\\t\\\\\\\"\\'\\0'", '\n\r\t\\"\'\0'],
    ['"\\u00e9\\uD83D\\ude00"', 'é😀'],
    ['"a\nb\r\nc\rd"', 'a\nb\nc\nd'],
    ['"\\r\\n"', '\r\n'],
    ['"a # b"', 'a # b'],
    ['""', ''],
  ] as const) {
    it(`gives ${JSON.stringify(text)} its value`, () => assert.equal(literalIn(text), value))
  }

  for (const [text, at, message] of [
    ['a 1e', 2, /exponent/],
    ['1.5e+', 0, /exponent/],
    ['1end', 0, /exponent/],
    ['0xZ', 0, /no digits/],
    ['0b2', 0, /no digits/],
    ['0X1F', 0, /0x in lower case/],
    ['0x10000000000000000', 0, /17 digits/],
    [`0b${'0'.repeat(65)}`, 0, /65 digits/],
    ['"\\d"', 1, /'\\d': a backslash itself is written twice, as in '\\\\d'/],
    ['"\\x41"', 1, /'\\x'/],
    ['"\\u12"', 1, /four hex digits/],
    ['"\\\n"', 1, /line end/],
    ['x = "abc', 4, /not closed/],
    ['\'abc"', 0, /not closed/],
    ['"abc\\', 4, /ends after/],
    ['a;', 1, /leave it out/],
    ['a && b', 2, /'and'/],
    ['a || b', 2, /'or'/],
    ['!a', 0, /'not'/],
    ['`a`', 0, /double quotes/],
    ['“a”', 0, /straight quotes/],
    ['a @', 2, /'@' does not belong/],
    ['😀', 0, /'😀' does not belong/],
    ['𝒳', 0, /does not belong/],
    ['a\u200b', 1, /U\+200B/],
    ['\ud800', 0, /U\+D800/],
    ['a\ufeff', 1, /U\+FEFF/],
  ] as const) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      const token = last(text)
      assert.ok(token.kind === 'invalid')
      assert.equal(token.problem.code, 'JM2000')
      assert.equal(token.problem.at, at)
      assert.match(token.problem.message, message)
    })
  }

  it('reads words as keywords in lower case only', () => {
    const kinds = tokenize('if If any Data elif null').tokens.map(({ kind }) => kind)
    assert.deepEqual(kinds, [
      'keyword',
      'identifier',
      'identifier',
      'identifier',
      'identifier',
      'keyword',
      'end',
    ])
  })

  it('knows which tokens and comments begin a line, by LF, CR LF and CR', () => {
    const { tokens, comments } = tokenize('a b # 1\nc\rd\r\n# 2\r\n\u2028e')
    assert.deepEqual(
      tokens.map(({ text, firstOnLine }) => `${text}${firstOnLine ? '!' : ''}`),
      ['a!', 'b', 'c!', 'd!', 'e!', ''],
    )
    assert.deepEqual(
      comments.map(({ text, firstOnLine, span }) => [text, firstOnLine, span.start]),
      [
        ['# 1', false, 4],
        ['# 2', true, 13],
      ],
    )
  })

  it('does not treat a line separator as a line end', () => {
    assert.equal(tokenize('a\u2028b').tokens[1]?.firstOnLine, false)
  })

  it('places tokens by their offsets', () => {
    const [, equals, text] = tokenize('a  = "b"').tokens
    assert.deepEqual(equals?.span, { start: 3, end: 4 })
    assert.deepEqual(text?.span, { start: 5, end: 8 })
  })
})
