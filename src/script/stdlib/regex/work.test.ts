/** The work of regular expressions is counted, and bounded by the lengths of text and pattern, however hostile they are. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fails, plainOf, run, type TestContext, testContext } from '../../testing/context.ts'
import { compilePattern } from './compile.ts'
import { regexFunctions } from './regex.ts'

const call = (name: string, text: string, pattern: string, context: TestContext = testContext()): unknown => {
  const found = regexFunctions.find((native) => native.name === name)
  assert.ok(found !== undefined, name)
  return plainOf(run(found, [text, pattern], context))
}

describe('hostile patterns', () => {
  const long = 40_000
  const classics: readonly (readonly [string, string])[] = [
    ['(a+)+$', `${'a'.repeat(long)}!`],
    ['^(a+)+$', `${'a'.repeat(long)}!`],
    ['(a|aa)+$', `${'a'.repeat(long)}!`],
    ['(x+x+)+y', 'x'.repeat(long)],
    ['(x+x+)+[yz]', 'x'.repeat(long)],
    ['([a-zA-Z]+)+[^a-zA-Z]$', 'a'.repeat(long)],
    ['(.+)+\\d\\d$', 'a'.repeat(long)],
    ['^(([a-z])+.)+[A-Z]([a-z])+$', 'a'.repeat(long)],
    ['(\\w+\\s?)+[^\\w\\s]$', 'ab '.repeat(long / 3)],
  ]
  for (const [pattern, text] of classics) {
    it(`${pattern} takes work by the length of the text`, () => {
      for (const name of ['RegexTest', 'RegexMatch', 'RegexMatchAll']) {
        const context = testContext()
        assert.ok(!call(name, text, pattern, context) || name === 'RegexMatchAll')
        assert.ok(context.units < text.length, `${name} counted ${context.units}`)
      }
    })
  }

  it('ends a search over a text that is too long for its pattern', () => {
    const pattern = '(?:(?:a|b|ab|ba|aab|bba|[ab]{3,9})+[cd]){5}$'
    const text = `${'ab'.repeat(200_000)}c`
    for (const name of ['RegexMatch', 'RegexMatchAll', 'RegexMatchDetail']) {
      fails('JM5700', () => call(name, text, pattern))
    }
  })

  it('ends many searches that each read the rest of the text', () => {
    fails('JM5700', () => call('RegexMatchAll', 'a'.repeat(50_000), 'a.*b|a'))
    fails('JM5700', () => call('RegexMatchAll', 'a'.repeat(500_000), 'a[^b]*b|a'))
  })

  it('looks at the clock in the middle of a search', () => {
    const context = testContext({ mostUnits: 20_000 })
    fails('JM5903', () => call('RegexMatch', 'a'.repeat(400_000), '(a+)+$|(a|b)+c', context))
    assert.ok(context.units < 30_000)
    assert.equal(call('RegexMatch', 'aab', '(a+)+$|(a|b)+b'), 'aab')
  })

  it('searches once for a text that every match must contain', () => {
    const context = testContext()
    assert.equal(call('RegexTest', 'b'.repeat(5_000_000), '^a', context), false)
    assert.ok(context.units < 30_000)
  })

  it('counts a long required text that nearly occurs everywhere', () => {
    const context = testContext()
    assert.equal(call('RegexTest', 'a'.repeat(1_000_000), `b${'a'.repeat(900)}`, context), false)
    assert.ok(context.units > 1000 && context.units < 150_000)
  })

  it('keeps no pattern whose states take much', () => {
    let letters = ''
    for (let i = 0, state = 1; i < 1800; i++) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      letters += 'abcdefgh'.charAt(state >>> 29)
    }
    for (const [pattern, isKept] of [
      ['[a-g][a-h]{890}[cd]', false],
      ['[a-g][a-h]{3}[cd]', true],
    ] as const) {
      const compiled = compilePattern(pattern)
      call('RegexTest', letters, pattern)
      assert.equal(compilePattern(pattern) === compiled, isKept, pattern)
    }
  })

  it('counts the matches that it returns', () => {
    fails('JM5910', () => call('RegexMatchAll', 'a'.repeat(10_000), 'a', testContext({ mostBytes: 100_000 })))
  })
})
