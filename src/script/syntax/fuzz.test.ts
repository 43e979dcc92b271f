/**
 * Sends random text through the lexer, the parser and the formatter, for FUZZ_SECONDS in all. The outcome is always a tree or
 * a problem inside the text, and formatted text means the same. A failure names its seed: FUZZ_SEED=… repeats just that text.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { campaignSeed, repeated } from '../../../test/campaign.ts'

import { formatScript } from '../format/format-script.ts'
import { anyScript, randomNumbers } from '../testing/arbitrary-script.ts'
import { outline } from '../testing/outline.ts'
import { dialects } from './ast.ts'
import { parseScript } from './parse-script.ts'
import { keywords, symbolsOfOne, symbolsOfTwo } from './tokens.ts'

type Random = () => number

const below = (random: Random, limit: number): number => Math.floor(random() * limit)
const pick = <T>(random: Random, from: readonly T[]): T => from[below(random, from.length)]!
const many = (random: Random, most: number, make: () => string): string =>
  Array.from({ length: below(random, most) }, make).join('')

/** Units of all kinds, more often those that have a meaning for the lexer. */
function unit(random: Random): string {
  const kind = random()
  if (kind < 0.6) return String.fromCharCode(below(random, 128))
  if (kind < 0.8) return pick(random, [...'"\'\\#\n\r\t =+-.(){}[]:?'])
  return String.fromCharCode(below(random, kind < 0.95 ? 0x300 : 0x10000))
}

const vocabulary: readonly string[] = [
  ...[...keywords, ...symbolsOfOne, ...symbolsOfTwo],
  ...['a', 'Data', 'elif', 'inf', '_1', 'é', '1', '5.', '.5', '1e3', '0xF', '0b1', '"s"', "'q\"'", '"\\n"'],
  ...['\n', '\r\n', '# c\n', '"', '\\', ';', '!', '&&', '1e', '0x'],
]

const samples: readonly string[] = [
  ...fc.sample(anyScript, { seed: 1, numRuns: 300 }),
  'foreach row in Data.rows do # each\n  if row.a > 1 and not row.b then return elif row.c then x += 1 else fail "no" end\nend',
  'func f(a, b: number = 1)\n  # own\n  return a.map((x, y) => {id: x, "k": [y]}).add(b) ?? -1\nend',
  'switch f(x: 1, end: 2) do case 1, "2" then a[0]++ default then delete a.b end',
]

/** A valid script with some pieces taken out, doubled, moved or replaced. */
function mutated(random: Random): string {
  let text = pick(random, samples)
  for (let changes = 1 + below(random, 4); changes > 0; changes--) {
    const start = below(random, text.length + 1)
    const end = Math.min(text.length, start + below(random, 12))
    const change = random()
    const piece =
      change < 0.3
        ? ''
        : change < 0.6
          ? pick(random, vocabulary)
          : change < 0.8
            ? unit(random)
            : text.slice(start, end).repeat(2)
    text = text.slice(0, start) + piece + text.slice(end)
  }
  return text
}

const kinds: readonly (readonly [kind: string, make: (random: Random) => string])[] = [
  ['units', (random) => many(random, 60, () => unit(random))],
  [
    'tokens',
    (random) => many(random, 60, () => pick(random, vocabulary) + pick(random, ['', ' ', ' ', ' '])),
  ],
  ['mutated scripts', mutated],
]

/** Checks every promise of the header for one text. */
function check(text: string): void {
  const outlines = dialects.map((dialect) => {
    const parsed = parseScript(text, dialect)
    const formatted = formatScript(text, dialect)
    if (parsed.script === null) {
      const [problem, ...others] = parsed.problems
      assert.ok(problem !== undefined && others.length === 0)
      assert.match(problem.code, /^JM(2000|3200)$/)
      assert.ok(
        problem.at !== null && Number.isInteger(problem.at) && problem.at >= 0 && problem.at <= text.length,
      )
      assert.ok(problem.message.length > 0 && problem.message.length < 400, problem.message)
      assert.deepEqual(formatted, parsed.problems)
      return null
    }
    assert.ok(typeof formatted === 'string')
    const again = parseScript(formatted, dialect)
    assert.ok(again.script !== null, again.problems[0]?.message)
    const tree = outline(parsed.script)
    assert.equal(outline(again.script), tree)
    assert.equal(formatScript(formatted, dialect), formatted)
    return tree
  })
  const [service, strict] = outlines
  if (strict !== null) assert.equal(service, strict, 'the service dialect reads a strict script otherwise')
}

const seconds = Number(process.env.FUZZ_SECONDS ?? repeated(1.5, 600))
const onlySeed = process.env.FUZZ_SEED

describe('any text', () => {
  for (const [kind, make] of kinds) {
    it(`is read, or refused at a place inside it: ${kind}`, () => {
      const until = performance.now() + (seconds * 1000) / kinds.length
      const first = onlySeed === undefined ? campaignSeed : Number(onlySeed)
      let seed = first
      do {
        const text = make(randomNumbers(seed))
        try {
          check(text)
        } catch (error) {
          throw new Error(`FUZZ_SEED=${seed}, ${kind}: ${JSON.stringify(text)}`, { cause: error })
        }
        seed++
      } while (onlySeed === undefined && performance.now() < until)
    })
  }
})
