/** Everything that a script can call by name: its functions, the constructors of its variants, library and host functions. */
import type { ScriptProblemCode } from '../script-problem.ts'
import type { NativeFunction } from '../stdlib/definition.ts'
import type { FunctionDeclaration, Script, UnionDeclaration } from '../syntax/ast.ts'
import type { CallTarget } from './checked-script.ts'
import { type ProblemList, quoted } from './problem-list.ts'

/** The functions that scripts find by name besides their own. */
export type FunctionTable = ReadonlyMap<string, NativeFunction>

/** A host function silently replaces the library function of the same name (language reference, 11.4). */
export const functionTable = (
  library: readonly NativeFunction[],
  host: readonly NativeFunction[],
): FunctionTable => {
  const ofHost = host.map((native): NativeFunction => ({ ...native, isOfHost: true }))
  return new Map([...library, ...ofHost].map((native) => [native.name, native]))
}

export type Callable = {
  /** The name as declared. */
  readonly name: string
  readonly target: CallTarget
  readonly parameters: readonly CallableParameter[]
  /** The least number of arguments in a call by position. */
  readonly required: number
  /** The position of each parameter, by name. */
  readonly positions: ReadonlyMap<string, number>
}

type CallableParameter = { readonly name: string; readonly optional: boolean }

export type Callables = {
  readonly named: (name: string) => Callable | undefined
  /** The callables whose names differ from this one in letter case at most. Other names of functions count last. */
  readonly alike: (name: string) => readonly Callable[]
  readonly names: ReadonlySet<string>
}

/** A script's own names come first. A name that a built-in function has too is reported as a problem. */
export function callablesOf(script: Script, functions: FunctionTable, problems: ClashLists): Callables {
  const own = new Map<string, Callable>()
  declareVariants(script, functions, own, problems.variants)
  declareFunctions(script, functions, own, problems.functions)

  const natives = new Map<string, Callable>()
  const named = (name: string): Callable | undefined => {
    const known = own.get(name) ?? natives.get(name)
    const native = functions.get(name)
    if (known !== undefined || native === undefined) return known
    const callable = callableOf(name, { kind: 'native', native }, native.parameters)
    natives.set(name, callable)
    return callable
  }
  const names = new Set([...own.keys(), ...functions.keys()])
  let byLowerCase: ReadonlyMap<string, readonly string[]> | null = null
  const alike = (name: string): readonly Callable[] => {
    byLowerCase ??= Map.groupBy(names, (known) => known.toLowerCase())
    const found = (byLowerCase.get(name.toLowerCase()) ?? []).flatMap((known) => named(known) ?? [])
    const originals = found.filter(({ target }) => target.kind !== 'native' || !isAlias(target.native))
    return originals.length > 0 ? originals : found
  }
  return { named, alike, names }
}

const isAlias = ({ aliasOf }: NativeFunction): boolean => aliasOf !== undefined

/** Whether a script may not use the name. */
function isTaken(functions: FunctionTable, name: string): boolean {
  const native = functions.get(name)
  return native !== undefined && !isAlias(native)
}

export type ClashLists = { readonly variants: ProblemList; readonly functions: ProblemList }

/** A constructor takes one argument per field and ignores the field's hint (language reference, 7.3). */
function declareVariants(
  script: Script,
  functions: FunctionTable,
  own: Map<string, Callable>,
  clashes: ProblemList,
): void {
  const functionNames = new Set(declaredFunctions(script).map(({ name }) => name.text))
  const unionNames = new Set<string>()
  for (const union of script.body.statements) {
    if (union.kind !== 'union') continue
    const refuse = refusalAt(union, clashes)
    const name = quoted(union.name.text)
    if (unionNames.has(union.name.text)) refuse('JM4101', `Union ${name} is declared twice`)
    unionNames.add(union.name.text)
    for (const variant of union.variants) {
      const { text } = variant.name
      const what = `Variant ${quoted(text)} of union ${name}`
      if (own.has(text)) refuse('JM4101', `${what} is declared twice`)
      if (isTaken(functions, text)) refuse('JM4300', `${what} has the name of a built-in function`)
      if (functionNames.has(text)) refuse('JM4301', `${what} has the name of a function of this script`)
      const parameters = variant.fields.map(({ name }) => ({ name: name.text, optional: false }))
      own.set(text, callableOf(text, { kind: 'variant', variant }, parameters))
    }
  }
}

function declareFunctions(
  script: Script,
  functions: FunctionTable,
  own: Map<string, Callable>,
  problems: ProblemList,
): void {
  for (const declaration of declaredFunctions(script)) {
    const { text } = declaration.name
    if (isTaken(functions, text)) {
      const refuse = refusalAt(declaration, problems)
      refuse('JM4102', `Function ${quoted(text)} has the name of a built-in function`)
    }
    const parameters = declaration.parameters.map(({ name, standard }) => ({
      name: name.text,
      optional: standard !== null,
    }))
    own.set(text, callableOf(text, { kind: 'user', declaration }, parameters))
  }
}

const declaredFunctions = ({ body }: Script): readonly FunctionDeclaration[] =>
  body.statements.filter((statement) => statement.kind === 'function')

const refusalAt =
  ({ span }: FunctionDeclaration | UnionDeclaration, problems: ProblemList) =>
  (code: ScriptProblemCode, message: string): void =>
    problems.add(code, span.start, message)

function callableOf(name: string, target: CallTarget, parameters: readonly CallableParameter[]): Callable {
  const positions = new Map(parameters.map((parameter, position) => [parameter.name, position]))
  const required = parameters.findLastIndex(({ optional }) => !optional) + 1
  return { name, target, parameters, required, positions }
}
