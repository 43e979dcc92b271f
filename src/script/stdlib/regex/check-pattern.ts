/** What the checker finds in a literal pattern before the script runs. Runs in browsers too, hence apart from the functions. */
import { compilePattern } from './compile.ts'
import { PatternFault } from './syntax.ts'

/**
 * Returns why a valid pattern cannot be used here; null if it can. An invalid pattern fails only in a run that uses it: in a
 * branch that never runs it does no harm.
 */
export function checkPattern(pattern: string): string | null {
  try {
    compilePattern(pattern)
    return null
  } catch (error) {
    if (error instanceof PatternFault) return error.isMistake ? null : error.message
    throw error
  }
}
