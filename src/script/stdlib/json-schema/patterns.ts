/**
 * Matches the patterns of schemas (ECMA-262) in linear time, because patterns come from scripts and texts from anywhere. Refuses
 * what needs a backtracking engine: look-ahead and back-references to groups.
 */
import { RE2JS } from 're2js'
import { ScriptFailure } from '../../failure.ts'
import type { NativeContext } from '../definition.ts'
import { PatternFault, translatePattern } from './translate-pattern.ts'

export type PatternTester = (text: string) => boolean

/** In UTF-16 units. Compiling a longer pattern takes long, and that work cannot be counted. */
const LONGEST_PATTERN = 5_000

/** Instructions of a compiled pattern. The time of a match grows with them. */
const MOST_INSTRUCTIONS = 20_000

/** Steps of one match, which cannot be interrupted. In the worst case it takes as long as the language allows: a second. */
const MOST_STEPS = 50_000_000

/**
 * Returns a test whether the pattern matches somewhere in a text.
 * @throws ScriptFailure JM5701 for patterns that cannot be matched; the test throws JM5700 for texts too long for the pattern
 */
export function patternTester(
  pattern: string,
  context: Pick<NativeContext, 'work' | 'allocate'>,
): PatternTester {
  if (pattern.length > LONGEST_PATTERN) throw refused('it is too long')
  context.work(10 + pattern.length)
  const compiled = compile(pattern)
  const instructions = compiled.programSize()
  if (instructions > MOST_INSTRUCTIONS) throw refused('it repeats too much')
  context.work(instructions)
  context.allocate(100 * instructions)
  return (text) => {
    const steps = (text.length + 1) * instructions
    if (steps > MOST_STEPS)
      throw new ScriptFailure('JM5700', 'ValidateSchema: matching a pattern takes too long')
    context.work(Math.ceil(steps / 100))
    return compiled.test(text)
  }
}

function compile(pattern: string): RE2JS {
  try {
    return RE2JS.compile(translatePattern(pattern), RE2JS.LOOKBEHINDS)
  } catch (fault) {
    const reason = fault instanceof PatternFault ? fault.message : (fault as Error).message
    if (BEYOND_US.test(reason)) throw refused(reason)
    throw new ScriptFailure('JM5002', `ValidateSchema: a pattern of the schema is malformed: ${reason}`)
  }
}

/** Faults of valid patterns that are too large or cannot be matched in linear time. */
const BEYOND_US = /looks ahead|refers back|repeat count|too large|nest/i

const refused = (reason: string): ScriptFailure =>
  new ScriptFailure('JM5701', `ValidateSchema cannot match a pattern of the schema: ${reason}`)
