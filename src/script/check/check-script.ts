/** Turns the text of a script into a checked script, or into the list of its problems. */

import type { ScriptProblem } from '../script-problem.ts'
import type { Dialect } from '../syntax/ast.ts'
import { parseScript } from '../syntax/parse-script.ts'
import type { FunctionTable } from './callables.ts'
import type { CheckedScript } from './checked-script.ts'
import { type LinkOptions, link } from './link.ts'
import { validate } from './validate.ts'

export type CheckOptions = LinkOptions & { readonly dialect: Dialect; readonly functions: FunctionTable }

export type Checked =
  | { readonly script: CheckedScript; readonly problems: readonly [] }
  | { readonly script: null; readonly problems: readonly ScriptProblem[] }

/** Each stage needs the result of the stage before, so only the first stage with problems reports any. */
export function checkScript(text: string, options: CheckOptions): Checked {
  const { dialect, functions } = options
  const parsed = parseScript(text, dialect)
  if (parsed.script === null) return parsed
  const tree = parsed.script
  const faults = validate(tree, dialect)
  if (faults.length > 0) return { script: null, problems: faults }
  const { calls, problems } = link(tree, dialect, functions, options)
  if (problems.length > 0) return { script: null, problems }
  return { script: { text, tree, dialect, calls }, problems: [] }
}
