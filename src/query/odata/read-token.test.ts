import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { anyCharacter } from '../../../test/fixtures/any-character.ts'
import { readToken, type Token } from './read-token.ts'

function readAll(input: string): readonly Token[] {
  const tokens: Token[] = []
  for (let at = 0; ; ) {
    const token = readToken(input, at)
    if (token.kind === 'end') return tokens
    tokens.push(token)
    at = token.span.end
  }
}

const shown = (input: string) => readAll(input).map(({ kind, text }) => `${kind} ${text}`)

describe('readToken', () => {
  const rows: readonly (readonly [input: string, tokens: readonly string[]])[] = [
    ['', []],
    [' \t\r\n\u00a0', []],
    ['bookingDate GE', ['word bookingDate', 'word GE']],
    ['_a1 Kostenträger 客户 e\u0301', ['word _a1', 'word Kostenträger', 'word 客户', 'word e\u0301']],
    ['𝒜b', ['word 𝒜b']],
    ["'Sydney'", ['text Sydney']],
    ["''", ['text ']],
    ["''''", ["text '"]],
    ["'O''Hare' 'a''''b'", ["text O'Hare", "text a''b"]],
    ["'two\nlines'", ['text two\nlines']],
    ["'abc", ['unterminated-text abc']],
    ["'abc''", ["unterminated-text abc''"]],
    ['0 12 -12 0.5 -0.5', ['number 0', 'number 12', 'number -12', 'number 0.5', 'number -0.5']],
    ['1e3 1E+3 1.5e-3', ['number 1e3', 'number 1E+3', 'number 1.5e-3']],
    ['12abc', ['malformed-number 12abc']],
    ['1.', ['malformed-number 1.']],
    ['1e', ['malformed-number 1e']],
    ['1.2.3', ['malformed-number 1.2.3']],
    ['2026-01-01', ['malformed-number 2026-01-01']],
    ['2026-01-01T10:00:00Z', ['malformed-number 2026-01-01T10:00:00Z']],
    ['(1,2)', ['symbol (', 'number 1', 'symbol ,', 'number 2', 'symbol )']],
    ["a['b'].c", ['word a', 'symbol [', 'text b', 'symbol ]', 'symbol .', 'word c']],
    ['a=1', ['word a', 'symbol =', 'number 1']],
    ['a<>-1', ['word a', 'symbol <>', 'number -1']],
    ['a && !b', ['word a', 'symbol &&', 'symbol !', 'word b']],
    ['- 1 +1 .5', ['symbol -', 'number 1', 'symbol +', 'number 1', 'symbol .', 'number 5']],
    ["eq'x'and", ['word eq', 'text x', 'word and']],
    ['😀\ud800', ['symbol 😀', 'symbol \ud800']],
  ]
  for (const [input, tokens] of rows) {
    it(`reads ${JSON.stringify(input)}`, () => assert.deepEqual(shown(input), tokens))
  }

  it('gives a token the span of its source text, quotes included', () => {
    const spans = readAll("a  eq 'O''Hare'").map(({ span }) => span)
    assert.deepEqual(spans, [
      { start: 0, end: 1 },
      { start: 3, end: 5 },
      { start: 6, end: 15 },
    ])
  })

  it('always advances, and never past the end', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (input) => {
        let at = 0
        for (const { span } of readAll(input)) {
          assert.ok(span.start >= at && span.end > span.start && span.end <= input.length)
          at = span.end
        }
      }),
    )
  })
})
