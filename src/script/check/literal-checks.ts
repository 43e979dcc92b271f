/** Literal patterns are checked before the script runs: the checks by the function whose second argument they read. */
import { checkPattern } from '../stdlib/regex/check-pattern.ts'

export const literalChecks: ReadonlyMap<string, (argument: string) => string | null> = new Map(
  ['RegexTest', 'RegexMatch', 'RegexMatchAll', 'RegexMatchDetail'].map((name) => [name, checkPattern]),
)
