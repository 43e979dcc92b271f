/** What is wrong with an endpoint's script before anybody runs it: what keeps it from being published, for editors too. */
import type { EndpointDefinition } from '../../schema/endpoint-shapes.ts'
import { placeAt, type ScriptProblem } from '../../script/problems.ts'
import { compileScript, warningsOf } from '../../script/script.ts'
import { hostFunctions } from '../host/host-functions.ts'

/** Line and column count from 1; null where the problem has no place. */
export type PlacedProblem = ScriptProblem & { readonly line: number | null; readonly column: number | null }

/** Empty when it can be published. All problems at once, those of the first stage that has any. */
export function checkEndpoint({ script }: Pick<EndpointDefinition, 'script'>): readonly PlacedProblem[] {
  const { problems } = compileScript(script, { functions: hostFunctions })
  return problems.map((problem) => placed(script, problem))
}

/** What is allowed, and hardly what was meant. Of a script without problems. */
export const endpointWarnings = ({ script }: Pick<EndpointDefinition, 'script'>): readonly PlacedProblem[] =>
  warningsOf(script, 'service').map((warning) => placed(script, warning))

export function placed(script: string, problem: ScriptProblem): PlacedProblem {
  if (problem.at === null) return { ...problem, line: null, column: null }
  return { ...problem, ...placeAt(script, problem.at) }
}
