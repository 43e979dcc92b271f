/** Finds where a run failed: the innermost statement that was being executed (language reference, section 8). */
import type { Code } from '../compile/code.ts'
import type { Frame } from './frame.ts'

/** Lambdas and native functions have no statements: the statement of the caller counts. */
export function failurePlace(frames: readonly Frame[], top: number): number | null {
  for (let i = top; i >= 0; i--) {
    const { code, pc, steps } = frames[i] as Frame
    if (steps !== null) continue
    // Frames below the top are already past the call that they wait for.
    const start = statementAt(code, i === top ? pc : pc - 1)
    if (start !== null) return start
  }
  return null
}

/** Null before the first statement, where a function's arguments are converted: that belongs to the caller's statement. */
function statementAt({ statementStarts }: Code, pc: number): number | null {
  let start: number | null = null
  for (let i = 0; i < statementStarts.length && statementStarts[i]! <= pc; i += 2)
    start = statementStarts[i + 1]!
  return start
}
