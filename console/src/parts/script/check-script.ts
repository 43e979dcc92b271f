/** Finds the problems and warnings of a script as the service would, with its own code. */
import { functionTable } from '../../../../src/script/check/callables.ts'
import { allProblems, checkScript } from '../../../../src/script/check/check-script.ts'
import { importsIn } from '../../../../src/script/check/gather-modules.ts'
import { literalChecks } from '../../../../src/script/check/literal-checks.ts'
import { warnings } from '../../../../src/script/check/warnings.ts'
import type { ScriptProblem } from '../../../../src/script/script-problem.ts'
import type { ModuleText } from '../../../../src/script/source-map.ts'
import { define, type NativeFunction } from '../../../../src/script/stdlib/definition.ts'
import { parseScript } from '../../../../src/script/syntax/parse-script.ts'
import type { FunctionSignature, ScriptWorld } from './signatures.ts'

export type ScriptToCheck = {
  readonly text: string
  /** The name of the script when it is itself a module. */
  readonly moduleName: string | undefined
  /** The modules that it imports, directly or through others. */
  readonly modules: readonly ModuleText[]
}

export type Finding = Pick<ScriptProblem, 'code' | 'message' | 'at'> & { readonly isWarning: boolean }

export type ImportedModule = { readonly name: string; readonly version: number | null }

export function scriptChecker({ library, hostFunctions, responseMembers }: ScriptWorld) {
  const functions = functionTable(library.map(withoutBody), hostFunctions.map(withoutBody))
  /** Problems, or, when there are none, warnings. */
  return ({ text, moduleName, modules }: ScriptToCheck): readonly Finding[] => {
    const { script, problems } = checkScript(text, {
      dialect: 'service',
      functions,
      literalChecks,
      modules,
      ...(moduleName !== undefined && { moduleName }),
    })
    if (script === null) return allProblems(text, 'service', problems).map((found) => finding(found, false))
    if (moduleName !== undefined) return []
    const parsed = parseScript(text, 'service')
    if (parsed.script === null) return []
    return warnings(parsed.script, 'service', { members: responseMembers }).map((found) =>
      finding(found, true),
    )
  }
}

/** None for a script that cannot be parsed. */
export function importsOf(text: string): readonly ImportedModule[] {
  if (!text.includes('import')) return []
  const { script } = parseScript(text, 'service')
  return script === null ? [] : importsIn(script).map(({ name, version }) => ({ name: name.text, version }))
}

/** The checker calls nothing. */
const withoutBody = (signature: FunctionSignature): NativeFunction =>
  define({ ...signature, body: () => null })

const finding = ({ code, message, at }: ScriptProblem, isWarning: boolean): Finding => ({
  code,
  message,
  at,
  isWarning,
})
