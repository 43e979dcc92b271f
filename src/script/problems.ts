/**
 * What can be wrong with a script, and the limits of its runs: one of the three files that the outside imports. It loads
 * nothing of the language itself, for threads that run no scripts need it too.
 */
export { isCancellation, type LimitName, runCancelled, ScriptFailure } from './failure.ts'
export { type Limits, languageLimits, limitReached, serviceLimits } from './run/limits.ts'
export { placeAt, printable, problemText, type ScriptProblem } from './script-problem.ts'
