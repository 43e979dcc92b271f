/** Puts the arguments of a call into the order of the parameters, or says why they do not fit (language reference, 7.1). */
import type { ScriptProblemCode } from '../script-problem.ts'
import type { Arguments, Expression, NamedArgument } from '../syntax/ast.ts'
import type { Callable } from './callables.ts'
import { counted, listed, type ProblemList, quoted } from './problem-list.ts'

export type BoundArguments = readonly (Expression | null)[]

/** @param receiver the argument for the first parameter in a method call @returns null when there are problems */
export function bindArguments(
  callable: Callable,
  receiver: Expression | null,
  args: Arguments,
  problems: ProblemList,
): BoundArguments | null {
  const refuse = (code: ScriptProblemCode, message: string) => {
    problems.add(code, args.open, message)
    return null
  }
  const first = receiver === null ? [] : [receiver]
  return args.kind === 'positional'
    ? bindPositional(callable, [...first, ...args.values], refuse)
    : bindNamed(callable, first, args.values, refuse)
}

type Refuse = (code: ScriptProblemCode, message: string) => null

function bindPositional(
  callable: Callable,
  given: readonly Expression[],
  refuse: Refuse,
): BoundArguments | null {
  const { required, parameters } = callable
  if (given.length < required) return refuse('JM4200', countMessage(callable, given.length))
  if (given.length > parameters.length) return refuse('JM4201', countMessage(callable, given.length))
  return given
}

function countMessage({ name, required, parameters }: Callable, given: number): string {
  const most = parameters.length
  const wanted = required === most ? counted(most, 'argument') : `${required} to ${counted(most, 'argument')}`
  return `Function ${quoted(name)} takes ${wanted}, but is given ${given}`
}

function bindNamed(
  callable: Callable,
  first: readonly Expression[],
  args: readonly NamedArgument[],
  refuse: Refuse,
): BoundArguments | null {
  const { parameters, positions, required } = callable
  const count = first.length + args.length
  if (first.length > parameters.length) return refuse('JM4201', countMessage(callable, count))
  const what = `of function ${quoted(callable.name)}`
  const names = new Set(parameters.slice(0, first.length).map(({ name }) => name))
  const bound: (Expression | null)[] = [...first]
  let fits = true
  let known: string | null = null
  const misfit = (code: ScriptProblemCode, message: string) => {
    refuse(code, message)
    fits = false
  }
  for (const { name, value } of args) {
    const position = positions.get(name.text)
    if (names.has(name.text)) {
      misfit('JM4202', `Argument ${quoted(name.text)} ${what} is given twice`)
    } else if (position === undefined) {
      known ??= parameters.length === 0 ? 'it has none' : `it has ${listed(positions.keys(), positions.size)}`
      misfit('JM4203', `Argument ${quoted(name.text)} is not a parameter ${what}; ${known}`)
    } else {
      bound[position] = value
    }
    names.add(name.text)
  }
  parameters.slice(0, required).forEach(({ name, optional }, position) => {
    if (bound[position] == null && !optional) misfit('JM4204', `Argument ${quoted(name)} ${what} is missing`)
  })
  return fits ? Array.from(bound, (value) => value ?? null) : null
}
