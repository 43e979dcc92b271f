/**
 * Regular expressions, whose time is bounded by the lengths of text and pattern (language reference, 10.1). Patterns are those
 * of .NET. A pattern that cannot be matched here exactly as in .NET is refused when it is used; a literal pattern is refused by
 * the checker before the script runs.
 */

import { ScriptFailure } from '../../failure.ts'
import { partOfText } from '../../values/part-of-text.ts'
import type { Value } from '../../values/value.ts'
import { define, type NativeContext, type NativeFunction, text } from '../definition.ts'
import { countReading } from '../text/cost.ts'
import { type CompiledPattern, compilePattern, releasePattern } from './compile.ts'
import { PatternFault } from './syntax.ts'
import { CountedText } from './text.ts'

const category = 'Text'

const test = define({
  name: 'RegexTest',
  category,
  parameters: [text('left'), text('right')],
  returns: 'boolean',
  about: 'Whether a regular expression matches anywhere in a text.',
  body: (context, left, right) =>
    search('RegexTest', left, right, context, (pattern, input) =>
      pattern.atSearchStart
        ? matchesIn(input, pattern).next().done !== true
        : pattern.program.test(input.asString()),
    ),
})

const first = define({
  name: 'RegexMatch',
  category,
  parameters: [text('left'), text('right')],
  returns: 'string or null',
  about: 'The first part of a text that a regular expression matches; null if there is none.',
  body: (context, left, right) =>
    search('RegexMatch', left, right, context, (pattern, input) => {
      const { value: match } = matchesIn(input, pattern).next()
      return match ? context.text(partOfText(left, match.start, match.end)) : null
    }),
})

const all = define({
  name: 'RegexMatchAll',
  category,
  parameters: [text('left'), text('right')],
  returns: 'array of string',
  about: 'All parts of a text that a regular expression matches, in order.',
  body: (context, left, right) =>
    search('RegexMatchAll', left, right, context, (pattern, input) => {
      const found: Value[] = []
      for (const { start, end } of matchesIn(input, pattern))
        found.push(context.text(partOfText(left, start, end)))
      return context.array(found)
    }),
})

const detail = define({
  name: 'RegexMatchDetail',
  category,
  parameters: [text('left'), text('right')],
  returns: 'object or null',
  about:
    'The first match of a regular expression, with its position and the texts of its groups; null if there is none.',
  body: (context, left, right) =>
    search('RegexMatchDetail', left, right, context, (pattern, input) => {
      const { value: match } = matchesIn(input, pattern).next()
      if (!match) return null
      const groups = pattern.groups.map((group) => {
        const [from, to] = match.groupAt(group)
        return context.text(from < 0 ? '' : partOfText(left, from, to))
      })
      const result = context.object()
      context.set(result, 'match', context.text(partOfText(left, match.start, match.end)))
      context.set(result, 'index', match.start)
      context.set(result, 'groups', context.array(groups))
      return result
    }),
})

/** @throws ScriptFailure JM5701 for the pattern, JM5700 for a text too long for it */
function search(
  native: string,
  text: string,
  patternText: string,
  context: NativeContext,
  use: (pattern: CompiledPattern, input: CountedText) => Value,
): Value {
  countReading(100 * patternText.length, context)
  const pattern = patternOf(patternText, native)
  try {
    return use(pattern, new CountedText(text, pattern, native, context))
  } finally {
    releasePattern(patternText, pattern)
  }
}

function patternOf(text: string, native: string): CompiledPattern {
  try {
    return compilePattern(text)
  } catch (error) {
    if (!(error instanceof PatternFault)) throw error
    throw new ScriptFailure('JM5701', `${native}: ${error.message}`)
  }
}

type Match = {
  readonly start: number
  readonly end: number
  /** Negative for a group that took no part. Valid only until the next match is requested. */
  readonly groupAt: (group: number) => readonly [from: number, to: number]
}

/** Yields the matches in order; after an empty match the next search begins one unit later. */
function* matchesIn(input: CountedText, pattern: CompiledPattern): Generator<Match, void, void> {
  const matcher = pattern.program.matcher(input.asInput())
  for (let from = 0; from <= input.length; ) {
    input.countSearch()
    if (!matcher.find(from)) return
    const start = matcher.start()
    const end = matcher.end()
    if (pattern.atSearchStart && start !== from) return
    yield { start, end, groupAt: (group) => [matcher.start(group), matcher.end(group)] }
    if (start === end && pattern.atSearchStart) return
    from = start === end ? end + 1 : end
  }
}

export const regexFunctions: readonly NativeFunction[] = [test, first, all, detail]
