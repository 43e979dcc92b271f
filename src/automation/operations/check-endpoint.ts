/** Checks the script of an endpoint without running it. A script with problems cannot be published; editors show the problems. */
import { placeAt, pointOf, type ScriptProblem } from '../../script/problems.ts'
import { compileScript, warningsOf } from '../../script/script.ts'
import { responseMembers } from '../endpoint/response-members.ts'
import { hostFunctions } from '../host/host-functions.ts'
import type { Script } from './script-to-check.ts'

/** Line and column count from 1; null when the problem has no place. */
export type PlacedProblem = ScriptProblem & { readonly line: number | null; readonly column: number | null }

/** All problems of the first stage that finds any. Empty when the script can be published. */
export function checkEndpoint({ script, modules = [], moduleName }: Script): readonly PlacedProblem[] {
  const { problems } = compileScript(script, {
    functions: hostFunctions,
    syntaxProblems: 'all',
    modules,
    moduleName,
  })
  return problems.map((problem) => placed(script, problem))
}

/** Warnings about code that is allowed but probably not meant. The script must have no problems. */
export const endpointWarnings = ({ script }: Script): readonly PlacedProblem[] =>
  warningsOf(script, 'service', { members: responseMembers }).map((warning) => placed(script, warning))

export function placed(script: string, problem: ScriptProblem): PlacedProblem {
  const at = pointOf(problem)
  return at === null ? { ...problem, line: null, column: null } : { ...problem, ...placeAt(script, at) }
}
