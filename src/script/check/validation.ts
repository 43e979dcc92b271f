/** State that the parts of the validator share: the place in the script, the names visible there, the problems found. */
import type { Span } from '../../kernel/span.ts'
import type { Dialect, FunctionDeclaration, Name } from '../syntax/ast.ts'
import { type ProblemList, quoted } from './problem-list.ts'
import type { Suggest } from './suggestion.ts'
import type { UnionTable } from './union-table.ts'

/** The value that a script works on. It is visible everywhere except in functions, and it is not a variable. */
export const ROOT = 'Data'

export type Scope = { readonly names: Set<string>; readonly outer: Scope | null }

export type Surroundings = {
  readonly scope: Scope
  readonly declaration: FunctionDeclaration | null
  readonly inLoop: boolean
  /** Whether this is in a block of an `if`, a loop, a `switch` or a `match`, of the script or of the function. */
  readonly inBlock: boolean
}

/**
 * Checks one node and returns the steps to take next, before anything later in the text. Taking the steps from a list needs
 * no recursive calls, however deeply a script is nested.
 */
export type Step = () => Steps
export type Steps = readonly Step[]

export type Validation = {
  readonly dialect: Dialect
  readonly unions: UnionTable
  /** The names of the functions seen so far. */
  readonly functions: Set<string>
  /** The scope of the script itself. Functions do not see it. */
  readonly scriptScope: Scope
  readonly problems: ProblemList
  readonly suggest: Suggest
}

export const scopeIn = (outer: Scope | null, names: Iterable<string> = []): Scope => ({
  names: new Set(names),
  outer,
})

export function isVisible(name: string, scope: Scope): boolean {
  for (let at: Scope | null = scope; at !== null; at = at.outer) if (at.names.has(name)) return true
  return false
}

export function* visibleNames(scope: Scope): Generator<string> {
  for (let at: Scope | null = scope; at !== null; at = at.outer) yield* at.names
}

/** Declares a variable in the innermost scope. A variable `Data` is accepted, but the name keeps meaning the root. */
export function declare({ text, span }: Name, around: Surroundings, validation: Validation): void {
  refuseRoot(text, span, around, validation)
  const { names } = around.scope
  if (names.has(text)) {
    validation.problems.add(
      'JM3101',
      span.start,
      `Variable ${quoted(text)} is already declared in this block`,
    )
  }
  names.add(text)
}

/**
 * Returns surroundings with a new scope for these names: a loop variable, parameters of a lambda, bindings of an arm.
 * Parameters and bindings may repeat a name; the last one counts.
 */
export function withNames(
  names: readonly Name[],
  around: Surroundings,
  validation: Validation,
): Surroundings {
  for (const { text, span } of names) refuseRoot(text, span, around, validation)
  const scope = scopeIn(
    around.scope,
    names.map(({ text }) => text),
  )
  return { ...around, scope }
}

/** Functions see only their parameters: the name `Data` must not occur in one. */
export function refuseRoot(
  name: string,
  span: Span,
  { declaration }: Surroundings,
  { problems }: Validation,
): void {
  if (name !== ROOT || declaration === null) return
  const message = `Function ${quoted(declaration.name.text)} cannot use '${ROOT}'; pass what it needs as an argument`
  problems.add('JM3504', span.start, message)
}
