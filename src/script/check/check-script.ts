/** Turns the text of a script into a checked script, or into the list of its problems. */

import type { ScriptProblem } from '../script-problem.ts'
import { atImport, type ModuleText } from '../source-map.ts'
import type { Dialect, Script } from '../syntax/ast.ts'
import { parseScript, syntaxProblems } from '../syntax/parse-script.ts'
import type { FunctionTable } from './callables.ts'
import type { CheckedScript } from './checked-script.ts'
import { gatherModules, refuseOtherStatements } from './gather-modules.ts'
import { type LinkOptions, link } from './link.ts'
import { problemList } from './problem-list.ts'
import { validate } from './validate.ts'

export type CheckOptions = LinkOptions & {
  readonly dialect: Dialect
  readonly functions: FunctionTable
  /** The modules that the script may import, with all that they import. */
  readonly modules?: readonly ModuleText[]
  /** The name of the script when it is itself a module. */
  readonly moduleName?: string
}

export type Checked =
  | { readonly script: CheckedScript; readonly problems: readonly [] }
  | { readonly script: null; readonly problems: readonly ScriptProblem[] }

/** Each stage needs the result of the stage before, so only the first stage with problems reports any. */
export function checkScript(own: string, options: CheckOptions): Checked {
  const { dialect, functions, modules = [], moduleName } = options
  const parsed = parseScript(own, dialect)
  if (parsed.script === null) return parsed
  const gathered = gatherModules(own, parsed.script, dialect, modules, moduleName)
  const { text, tree, sources, problems: unusable } = gathered
  if (unusable.length > 0) return { script: null, problems: unusable }
  const refused = (problems: readonly ScriptProblem[]) => ({
    script: null,
    problems: problems.map((problem) => atImport(problem, sources, text)),
  })
  const outside = moduleName === undefined ? [] : statementsOutsideFunctions(parsed.script)
  const faults = [...outside, ...validate(tree, dialect)]
  if (faults.length > 0) return refused(faults)
  const { calls, problems } = link(tree, dialect, functions, options)
  if (problems.length > 0) return refused(problems)
  return { script: { text, sources, tree, dialect, calls }, problems: [] }
}

/** For authors: all problems of the syntax in place of the first, if the script was refused for that. */
export function allProblems(
  text: string,
  dialect: Dialect,
  problems: readonly ScriptProblem[],
): readonly ScriptProblem[] {
  const [first] = problems
  return first?.code === 'JM2000' || first?.code === 'JM3200' ? syntaxProblems(text, dialect) : problems
}

function statementsOutsideFunctions(tree: Script): readonly ScriptProblem[] {
  const problems = problemList()
  refuseOtherStatements(tree, problems)
  return problems.inTextOrder()
}
