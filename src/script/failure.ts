/** Ends a run with a problem. Thrown by the machine and by native functions; only the machine catches it. */
import type { ScriptProblemCode } from './script-problem.ts'

/** A limit of a run, by the name it has in settings. */
export type LimitName = 'statements' | 'loops' | 'depth' | 'milliseconds' | 'memoryBytes' | 'outputBytes'

export class ScriptFailure extends Error {
  override readonly name: string = 'ScriptFailure'
  readonly code: ScriptProblemCode
  /** The limit that was reached, or null for other failures. */
  readonly limit: LimitName | null

  constructor(code: ScriptProblemCode, message: string, limit: LimitName | null = null) {
    super(message)
    this.code = code
    this.limit = limit
  }
}

/** The code of a cancelled run (language reference, section 8). */
const CANCELLED = 'JM5003'

export const runCancelled = (): ScriptFailure => new ScriptFailure(CANCELLED, 'The run was cancelled')

/** Whether a run ended with this problem because it was cancelled. */
export const isCancellation = ({ code }: { readonly code: string }): boolean => code === CANCELLED
