import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { campaignSeed, repeated } from '../../../test/campaign.ts'
import { any, define } from '../stdlib/definition.ts'
import { type Dialect, dialects } from '../syntax/ast.ts'
import { placed } from '../testing/check-script.ts'
import { functionTable } from './callables.ts'
import { checkScript } from './check-script.ts'

const trim = define({
  name: 'Trim',
  category: 'Text',
  returns: 'string',
  about: 'Nothing.',
  parameters: [any('value'), any('with')],
  body: () => null,
})
const literalChecks = new Map([['Trim', (argument: string) => (argument === '(' ? 'no' : null)]])
const check = (text: string, dialect: Dialect = 'service') =>
  checkScript(text, { dialect, functions: functionTable([trim], []), literalChecks })

describe('checkScript', () => {
  it('returns the script with the target of each call', () => {
    const text = 'Data.r = Trim(1, 2)'
    const { script, problems } = check(text, 'strict')
    assert.deepEqual(problems, [])
    assert.equal(script?.text, text)
    assert.equal(script?.dialect, 'strict')
    assert.deepEqual(
      [...(script?.calls.values() ?? [])].map(({ target }) => target),
      [{ kind: 'native', native: trim }],
    )
  })

  const rows: readonly (readonly [text: string, dialect: Dialect, ...problems: readonly string[]])[] = [
    ['var x = a Nope() if', 'service', 'JM2000'],
    ['var x = a Nope()', 'service', 'JM3100'],
    ['var x = 1 Nope()', 'service', 'JM4100'],
    ['Trim(1, "(")', 'service', 'JM5701'],
    ['Data.x.trim(1) return 1', 'service'],
    ['return 1', 'strict', 'JM3505'],
    ['Data.x.trim(1)', 'strict', 'JM2000'],
    // The compiler refuses this, which runs later.
    ['Data = 1', 'service'],
  ]
  for (const [text, dialect, ...codes] of rows) {
    it(`reports the first stage with problems: ${text} (${dialect}): ${codes.join(', ') || 'fine'}`, () => {
      const { script, problems } = check(text, dialect)
      assert.deepEqual(
        problems.map(({ code }) => code),
        codes,
      )
      assert.equal(script === null, codes.length > 0)
    })
  }

  const words = fc.constantFrom(
    ...'var if then else end while do for in to foreach switch case default match func union return break delete'.split(
      ' ',
    ),
    ...'a b Data A U Trim ( ) [ ] { } , : . = == + - ++ => ? ?? not is null number 1 "x" \n'.split(' '),
  )
  it('survives any text, and places every problem inside of it', () => {
    const texts = fc.array(words, { maxLength: 40 }).map((chosen) => chosen.join(' '))
    fc.assert(
      fc.property(texts, fc.constantFrom(...dialects), (text, dialect) => {
        const { script, problems } = check(text, dialect)
        assert.equal(script === null, problems.length > 0)
        for (const { at } of problems) assert.ok(at === null || (at >= 0 && at <= text.length))
        placed(
          text,
          problems.filter(({ at }) => at !== null),
        )
      }),
      { seed: campaignSeed, numRuns: repeated(700, 20_000) },
    )
  })
})
