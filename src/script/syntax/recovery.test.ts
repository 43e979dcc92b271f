import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { campaignSeed, repeated } from '../../../test/campaign.ts'
import { compileScript } from '../script.ts'
import { anyScript } from '../testing/arbitrary-script.ts'
import { placed } from '../testing/check-script.ts'
import { dialects } from './ast.ts'
import { tokenize } from './lexer.ts'
import { parseScript, syntaxProblems } from './parse-script.ts'
import { keywords, symbolsOfOne, symbolsOfTwo } from './tokens.ts'

describe('syntaxProblems', () => {
  const rows: readonly (readonly [text: string, ...places: readonly string[]])[] = [
    ['Data.a = 1'],
    ['Data.a = [1,]\nData.b = [1,]', '1:13', '2:13'],
    ['Data.a = 1;\nData.b = "\\d";\nData.c = 3;', '1:11', '2:11', '3:11'],
    ['Data.a = "x\nData.b = = 1', '1:10', '2:10'],
    ['if a thne\n  b = = 1\nend\nc = = 1', '1:6', '2:7', '4:5'],
    ['foreach b Data.l do\n  x = 1\nend\ny = = 1', '1:11', '4:5'],
    ['if a then\n  b = 1\nend\nend\nc = = 1', '4:1', '5:5'],
    ['if a then\n  b = = 1\nelse\n  c = = 1\nend\nd = = 1', '2:7', '4:7', '6:5'],
    ['else\n  a = = 1\nend\nb = = 1', '1:1', '2:7', '4:5'],
    ['Data.x = {\n  a: ,\n  b: 2\n}\nvar y = = 1', '2:6', '5:9'],
    ['switch a do\n  foo\n  case 1 then b = = 1\nend\nc = = 1', '2:3', '3:19', '5:5'],
    ['func f(a\n  return = 1\nend\nb = = 1', '2:3', '2:10', '4:5'],
    ['while true do\n  a = 1\n', '3:1'],
    ['while true do\n  a = = 1\n', '2:7'],
  ]
  for (const [text, ...places] of rows) {
    it(`${JSON.stringify(text)}: ${places.join(', ') || 'none'}`, () => {
      assert.deepEqual(
        placed(text, syntaxProblems(text, 'service')).map((at) => at.replace(/^JM\d+ /, '')),
        places,
      )
    })
  }

  it('is what compiling reports on demand; otherwise it stops at the first problem', () => {
    const text = 'Data.a = [1,]\nData.b = [1,]'
    assert.deepEqual(compileScript(text, { syntaxProblems: 'all' }).problems, syntaxProblems(text, 'service'))
    assert.equal(compileScript(text).problems.length, 1)
  })

  it('stops after 50 problems', () => {
    assert.equal(syntaxProblems('a = = 1\n'.repeat(200), 'service').length, 50)
    assert.equal(syntaxProblems('if\n'.repeat(100_000), 'service').length, 50)
  })

  const scripts = [
    ...filesIn(new URL('../../../examples/endpoints/', import.meta.url)),
    ...filesIn(new URL('../../../test/scripts/', import.meta.url)),
  ].filter((text) => parseScript(text, 'service').script !== null)
  const inserted = fc.constantFrom(...keywords, ...symbolsOfOne, ...symbolsOfTwo, 'name', '7', '"text"', ';')

  /** Without a token of the script, or with one more before it. */
  function changed(text: string, choice: number, token: string | null): string {
    const { tokens } = tokenize(text)
    const { start, end } = tokens[choice % tokens.length]!.span
    return text.slice(0, start) + (token === null ? text.slice(end) : `${token} ${text.slice(start)}`)
  }

  it('reports at most three problems for one token too many or too few', () => {
    assert.ok(scripts.length > 500)
    fc.assert(
      fc.property(fc.constantFrom(...scripts), fc.nat(), fc.option(inserted), (text, choice, token) => {
        const all = syntaxProblems(changed(text, choice, token), 'service')
        assert.ok(all.length <= 3, JSON.stringify(all))
      }),
      { seed: campaignSeed, numRuns: repeated(1000, 30_000) },
    )
  })

  it('begins with the problem that parseScript reports', () => {
    const texts = fc.oneof(fc.constantFrom(...scripts), anyScript)
    fc.assert(
      fc.property(
        texts,
        fc.nat(),
        fc.option(inserted),
        fc.constantFrom(...dialects),
        (text, choice, token, dialect) => {
          const tried = changed(text, choice, token)
          assert.deepEqual(syntaxProblems(tried, dialect).slice(0, 1), parseScript(tried, dialect).problems)
        },
      ),
      { seed: campaignSeed, numRuns: repeated(700, 20_000) },
    )
  })
})

function filesIn(folder: URL): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jyro'))
    .map((name) => readFileSync(new URL(name, folder), 'utf8'))
}
