/**
 * The problems of scripts and the limits of runs: one of the three files that other folders import. It loads nothing of the
 * language itself, because threads that run no scripts need it too.
 */
export { isCancellation, type LimitName, runCancelled, ScriptFailure } from './failure.ts'
export { type Limits, languageLimits, limitReached, serviceLimits } from './run/limits.ts'
export { placeAt, pointOf, printable, problemText, type ScriptProblem } from './script-problem.ts'
