/** Random patterns of the syntax that .NET and JavaScript share, with random texts: our engine and JavaScript agree. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { campaignSeed, repeated } from '../../../../test/campaign.ts'
import { ScriptFailure } from '../../failure.ts'
import { plainOf, run, testContext } from '../../testing/context.ts'
import { checkPattern } from './check-pattern.ts'
import { parsePattern } from './parse.ts'
import { regexFunctions } from './regex.ts'
import type { Assertion, PatternNode } from './syntax.ts'
import { hasUnit } from './units.ts'

/** The same pattern in both notations. */
type Pair = { readonly theirs: string; readonly ours: string }

const same = (text: string): Pair => ({ theirs: text, ours: text })

const around = (before: string, { theirs, ours }: Pair, after: string): Pair => ({
  theirs: before + theirs + after,
  ours: before + ours + after,
})

const joined = (pairs: readonly Pair[], by: string): Pair => ({
  theirs: pairs.map(({ theirs }) => theirs).join(by),
  ours: pairs.map(({ ours }) => ours).join(by),
})

/** JavaScript does not let a part with a question mark match the empty text; alternatives may. */
const quantified = (atom: Pair, quantifier: string): Pair => {
  if (quantifier === '?') return { theirs: `(?:${atom.theirs}|)`, ours: `${atom.ours}?` }
  if (quantifier === '??') return { theirs: `(?:|${atom.theirs})`, ours: `${atom.ours}??` }
  return around('', atom, quantifier)
}

const quantifiers = ['', '', '', '?', '*', '+', '??', '*?', '+?', '{2}', '{1,2}', '{2,}?']

const { pattern } = fc.letrec<{ pattern: Pair; item: Pair; atom: Pair }>((tie) => ({
  pattern: fc
    .array(fc.array(tie('item'), { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 })
    .map((options) =>
      joined(
        options.map((items) => joined(items, '')),
        '|',
      ),
    ),
  item: fc
    .tuple(tie('atom'), fc.constantFrom(...quantifiers))
    .map(([atom, quantifier]) => quantified(atom, quantifier)),
  atom: fc.oneof(
    {
      weight: 6,
      arbitrary: fc.constantFrom('a', 'b', 'c', '.', '[ab]', '[^a]', '\\n', '\\ud83d', 'é').map(same),
    },
    { weight: 2, arbitrary: fc.constantFrom('(?:^)', '(?:\\b)', '(?:\\B)', '(?:^|a)').map(same) },
    { weight: 1, arbitrary: fc.constant({ theirs: '(?:$)', ours: '(?:\\z)' }) },
    { weight: 1, arbitrary: fc.constant({ theirs: '(?:(?=\\n?$))', ours: '(?:$)' }) },
    { weight: 2, arbitrary: tie('pattern').map((inner) => around('(?:', inner, ')')) },
    { weight: 2, arbitrary: tie('pattern').map((inner) => around('(', inner, ')')) },
  ),
}))

/** For these characters `\b` and `.` of JavaScript differ from those of .NET. */
const text = fc.string({
  unit: fc.constantFrom('a', 'a', 'b', 'c', ' ', '\n', '😀', '\ud83d'),
  maxLength: 12,
})
const accented = fc.string({ unit: fc.constantFrom('a', 'é', 'b', '😀', 'É'), maxLength: 12 })

const answer = (name: string, subject: string, source: string): unknown => {
  const native = regexFunctions.find((known) => known.name === name)
  assert.ok(native !== undefined)
  return plainOf(run(native, [subject, source], testContext()))
}

describe('regular expressions', () => {
  it('find what JavaScript finds', () => {
    fc.assert(
      fc.property(pattern, fc.oneof(text, accented), ({ theirs, ours }, subject) => {
        fc.pre(checkPattern(ours) === null)
        fc.pre(!/\\[bB]/.test(ours) || !/[éÉ]/.test(subject))
        const expected = [...subject.matchAll(new RegExp(theirs, 'g'))].map(([match]) => match)
        assert.deepEqual(answer('RegexMatchAll', subject, ours), expected)
        assert.equal(answer('RegexTest', subject, ours), expected.length > 0)
      }),
      { seed: campaignSeed, numRuns: repeated(400, 20_000) },
    )
  })

  it('fill the groups that a backtracking search fills', () => {
    fc.assert(
      fc.property(pattern, text, ({ ours }, subject) => {
        fc.pre(checkPattern(ours) === null)
        const expected = searchByBacktracking(parsePattern(ours).root, subject)
        const found = answer('RegexMatchDetail', subject, ours)
        if (expected === null) return assert.equal(found, null)
        const told = [
          ['match', subject.slice(expected.start, expected.end)],
          ['index', expected.start],
          ['groups', expected.groups],
        ]
        assert.deepEqual(found, { '{}': told })
      }),
      { seed: campaignSeed, numRuns: repeated(400, 20_000) },
    )
  })

  it('fail only with a problem, whatever the pattern and text', () => {
    const anything = fc.string({
      unit: fc.constantFrom(...'ab(()[]{}?*+|^$\\.-,:<>=!#pdwbGZ1 im\n😀é'.split('')),
      maxLength: 20,
    })
    fc.assert(
      fc.property(anything, text, (source, subject) => {
        try {
          answer('RegexMatchAll', subject, source)
        } catch (error) {
          if (!(error instanceof ScriptFailure && error.code === 'JM5701')) throw error
        }
      }),
      { seed: campaignSeed, numRuns: repeated(400, 20_000) },
    )
  })
})

type Found = { readonly start: number; readonly end: number; readonly groups: readonly string[] }

/** Searches like .NET: takes the first way that leads to a match; groups keep their last text. */
function searchByBacktracking(root: PatternNode, subject: string): Found | null {
  const numbers = numbersOf(root)
  for (let start = 0; start <= subject.length; start++) {
    const held: string[] = [...numbers.values()].map(() => '')
    const end = match(root, start, (at) => at)
    if (end !== null) return { start, end, groups: held }

    function match(node: PatternNode, at: number, then: (at: number) => number | null): number | null {
      switch (node.kind) {
        case 'units':
          return at < subject.length && hasUnit(node.units, subject.charCodeAt(at)) ? then(at + 1) : null
        case 'assertion':
          return holds(node.what, subject, at) ? then(at) : null
        case 'sequence':
          return node.items.reduceRight((rest, item) => (from) => match(item, from, rest), then)(at)
        case 'choice':
          return firstOf(node.options, (option) => match(option, at, then))
        case 'capture': {
          const group = numbers.get(node) as number
          return match(node.inner, at, (to) => {
            const before = held[group] as string
            held[group] = subject.slice(at, to)
            const end = then(to)
            if (end === null) held[group] = before
            return end
          })
        }
        case 'repeat': {
          const { inner, least, most, lazy } = node
          const round = (count: number, from: number): number | null => {
            const again = () =>
              count < most
                ? match(inner, from, (to) =>
                    to === from && count >= least ? then(to) : round(count + 1, to),
                  )
                : null
            const on = () => (count >= least ? then(from) : null)
            return lazy ? (on() ?? again()) : (again() ?? on())
          }
          return round(0, at)
        }
      }
    }
  }
  return null
}

function firstOf<Item>(items: readonly Item[], attempt: (item: Item) => number | null): number | null {
  for (const item of items) {
    const found = attempt(item)
    if (found !== null) return found
  }
  return null
}

function holds(what: Assertion, subject: string, at: number): boolean {
  const wordAt = (place: number): boolean => /\w/.test(subject.charAt(place))
  const atBoundary = wordAt(at - 1) !== wordAt(at)
  switch (what) {
    case 'text-start':
      return at === 0
    case 'text-end':
      return at === subject.length
    case 'last-line-end':
      return at === subject.length || (at === subject.length - 1 && subject.endsWith('\n'))
    case 'boundary':
      return atBoundary
    case 'no-boundary':
      return !atBoundary
  }
  return assert.fail(`no pattern here has ${what}`)
}

/** Capturing groups in text order. */
function numbersOf(root: PatternNode): Map<PatternNode, number> {
  const numbers = new Map<PatternNode, number>()
  const visit = (node: PatternNode): void => {
    if (node.kind === 'capture') numbers.set(node, numbers.size)
    if (node.kind === 'sequence') node.items.forEach(visit)
    else if (node.kind === 'choice') node.options.forEach(visit)
    else if (node.kind === 'capture' || node.kind === 'repeat') visit(node.inner)
  }
  visit(root)
  return numbers
}
