/**
 * Finds where a run failed: the innermost statement that was being executed (language reference, section 8), the expression in
 * it, and the operand that was null.
 */
import type { Code } from '../compile/code.ts'
import { type InstructionName, instructionNames, instructions } from '../compile/instructions.ts'
import { shortened } from '../syntax/literals.ts'
import type { Frame, Slot } from './frame.ts'

/** Lambdas and native functions have no statements: the statement of the caller counts. @param counts tells which statements may be the place */
export function failurePlace(
  frames: readonly Frame[],
  top: number,
  counts: (start: number) => boolean = () => true,
): number | null {
  for (const { code, pc } of callsFrom(frames, top)) {
    const start = statementAt(code, pc)
    if (start !== null && counts(start)) return start
  }
  return null
}

export type FailedExpression = {
  readonly expressionAt: number
  /** The first operand that was null: its place, and its name as the end of a message. */
  readonly nullAt: number
  readonly nullPart: string | null
}

/** Null when a statement as a whole failed, such as one too many. */
export function failedExpression(
  frames: readonly Frame[],
  top: number,
  stack: readonly Slot[],
  text: string,
): FailedExpression | null {
  for (const { code, pc, base } of callsFrom(frames, top)) {
    const row = siteAt(code, pc)
    if (row !== null) return readSite(code.sites, row, (register) => stack[base + register], text)
    if (statementAt(code, pc) !== null) return null
  }
  return null
}

/** The calls in progress and the instruction that each is at, the innermost first. */
function* callsFrom(frames: readonly Frame[], top: number) {
  for (let i = top; i >= 0; i--) {
    const { code, pc, base, steps } = frames[i] as Frame
    // Frames below the top are already past the call that they wait for.
    if (steps === null) yield { code, base, pc: i === top ? pc : pc - 1 }
  }
}

/** Null before the first statement, where a function's arguments are converted: that belongs to the caller's statement. */
function statementAt({ statementStarts }: Code, pc: number): number | null {
  let start: number | null = null
  for (let i = 0; i < statementStarts.length && statementStarts[i]! <= pc; i += 2)
    start = statementStarts[i + 1]!
  return start
}

const ROW = 3
const OPERAND = 4

/** The place of the instruction's row among the sites. */
function siteAt({ sites, instructions: all }: Code, pc: number): number | null {
  let row: number | null = null
  for (let at = 0; at < sites.length && sites[at]! <= pc; at += ROW + OPERAND * sites[at + 2]!) row = at
  if (row === null) return null
  const instruction = sites[row]!
  const operands = instructions[instructionNames[all[instruction]!] as InstructionName]
  return pc <= instruction + operands.length ? row : null
}

function readSite(
  sites: Int32Array,
  row: number,
  slotOf: (register: number) => Slot,
  text: string,
): FailedExpression {
  const [expressionAt, count] = [sites[row + 1]!, sites[row + 2]!]
  for (let i = 0; i < count; i++) {
    const operand = row + ROW + OPERAND * i
    if (slotOf(sites[operand]!) !== null) continue
    const [start, end, name] = [sites[operand + 1]!, sites[operand + 2]!, sites[operand + 3]!]
    return { expressionAt, nullAt: start, nullPart: nullPart(text, { start, end, name }) }
  }
  return { expressionAt, nullAt: expressionAt, nullPart: null }
}

/** `'traveller' of 'booking' is null` */
function nullPart(text: string, { start, end, name }: { start: number; end: number; name: number }): string {
  if (name < 0) return `'${oneLine(text.slice(start, end))}' is null`
  const container = text.slice(start, name).replace(/\s*\.\s*$/, '')
  return `'${oneLine(text.slice(name, end))}' of '${oneLine(container)}' is null`
}

const oneLine = (written: string): string => shortened(written.replaceAll(/\s+/g, ' '))
