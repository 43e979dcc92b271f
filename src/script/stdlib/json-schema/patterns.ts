/**
 * Matches the patterns of schemas, which are those of ECMA-262, in time linear in the text: patterns come from scripts and
 * texts from anywhere. Refuses what only a backtracking engine could do: looking ahead, and references back to groups.
 */
import { RE2JS } from 're2js'
import { ScriptFailure } from '../../failure.ts'
import type { NativeContext } from '../definition.ts'
import { PatternFault, translatePattern } from './translate-pattern.ts'

export type PatternTester = (text: string) => boolean

/** Of a pattern, in units. Compiling a longer one takes long before anything can count it. */
const LONGEST_PATTERN = 5_000

/** Instructions of a compiled pattern. The time that a match takes grows with them. */
const MOST_INSTRUCTIONS = 20_000

/** Of one match, which nothing can stop. In the worst case that takes about as long as the language allows: a second. */
const MOST_STEPS = 50_000_000

/**
 * Whether a pattern matches somewhere in a text.
 * @throws ScriptFailure JM5701 for patterns that cannot be matched; its answer JM5700 for texts too long for the pattern
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

/** What is wrong with patterns that are right, but cannot be matched in linear time or are too large. */
const BEYOND_US = /looks ahead|refers back|repeat count|too large|nest/i

const refused = (reason: string): ScriptFailure =>
  new ScriptFailure('JM5701', `ValidateSchema cannot match a pattern of the schema: ${reason}`)
