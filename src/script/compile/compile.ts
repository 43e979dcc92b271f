/** Turns a checked script (a tree without problems, and the target of each call) into a program for the machine. */
import type { CheckedScript } from '../check/checked-script.ts'
import type { ScriptProblem } from '../script-problem.ts'
import type { FunctionDeclaration, Script, Variant } from '../syntax/ast.ts'
import { Shape } from '../values/shape.ts'
import type { Code, Program } from './code.ts'
import { resolve } from './resolve.ts'
import { compileStatements } from './statements.ts'
import { type Compilation, Unit } from './unit.ts'
import { beginVariable, typeNumber } from './variables.ts'

export type Compiled =
  | { readonly program: Program; readonly problems: readonly [] }
  | { readonly program: null; readonly problems: readonly ScriptProblem[] }

export function compile(script: CheckedScript): Compiled {
  const resolution = resolve(script.tree)
  const [first] = resolution.problems
  if (first !== undefined) return { program: null, problems: [first] }
  const emptyShape = Shape.root()
  const functions = new Map<FunctionDeclaration, Partial<Code>>()
  for (const statement of script.tree.body.statements)
    if (statement.kind === 'function') functions.set(statement, {})
  const variants = variantsOf(script.tree)
  const compilation: Compilation = { script, resolution, functions, variants, emptyShape, loops: [] }
  for (const [declaration, promised] of functions) compileFunction(compilation, declaration, promised)
  const unit = new Unit('the script', null, null, emptyShape)
  compileStatements(compilation, unit, script.tree.body)
  unit.emit('EXIT', unit.literal(null), 0)
  const main = unit.finish({}, 'script', 0)
  const { text, sources, dialect } = script
  // Only the service dialect reads members of the host's objects in any letter case.
  const hostShape = dialect === 'service' ? Shape.root({ foldsNames: true }) : emptyShape
  emptyShape.keep()
  if (hostShape !== emptyShape) hostShape.keep()
  return { program: { text, sources, dialect, main, emptyShape, hostShape }, problems: [] }
}

const variantsOf = ({ body }: Script): ReadonlyMap<string, Variant> =>
  new Map(
    body.statements.flatMap((statement) =>
      statement.kind === 'union'
        ? statement.variants.map((variant) => [variant.name.text, variant] as const)
        : [],
    ),
  )

function compileFunction(
  compilation: Compilation,
  declaration: FunctionDeclaration,
  promised: Partial<Code>,
): void {
  const unit = new Unit(declaration.name.text, declaration, null, compilation.emptyShape)
  const { parameters } = declaration
  for (const { name } of parameters) unit.bind(compilation.resolution.declared.get(name)!, unit.take())
  for (const { name, standard, hint } of parameters) {
    const variable = compilation.resolution.declared.get(name)!
    const register = unit.registerOf(variable)
    if (standard?.kind === 'literal') unit.emit('STANDARD', register, unit.literal(standard.value))
    if (hint !== null) unit.emit('COERCE', register, register, typeNumber(hint), unit.constant(name.text))
    beginVariable(unit, variable)
  }
  compileStatements(compilation, unit, declaration.body)
  unit.emit('RETURN', unit.literal(null))
  unit.finish(promised, 'function', parameters.length)
}
