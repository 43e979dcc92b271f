/**
 * Finds the target and the arguments of each call in a validated script. Functions are visible everywhere in a script. A
 * variable that holds a lambda cannot be called. The values of arguments are checked when the script runs.
 */

import type { ScriptProblem } from '../script-problem.ts'
import { branchKeyword, isLikeBranchKeyword } from '../syntax/advice.ts'
import type { Call, Dialect, MethodCall, Script } from '../syntax/ast.ts'
import { bindArguments } from './bind-arguments.ts'
import { type Callable, type Callables, callablesOf, type FunctionTable } from './callables.ts'
import type { CallTarget, ResolvedCall } from './checked-script.ts'
import { nodesOf } from './parts.ts'
import { listed, type ProblemList, problemList, quoted } from './problem-list.ts'
import { type Suggest, suggester } from './suggestion.ts'

/**
 * Checks of the second argument, by the name of the function: each returns what is wrong with a literal text, such as the
 * pattern of a regular expression. A host function that replaces one of these functions is checked as well.
 */
type LiteralChecks = ReadonlyMap<string, (argument: string) => string | null>

export type LinkOptions = { readonly literalChecks?: LiteralChecks }

/**
 * The most parameters that all calls of a script may leave out before an argument given by name. Each takes a place in a list
 * but no room in the text.
 */
const MOST_LEFT_OUT = 100_000

export type Linked = {
  readonly calls: ReadonlyMap<Call | MethodCall, ResolvedCall>
  readonly problems: readonly ScriptProblem[]
}

/** All problems in text order, clashing variant names first. The calls are complete when there are none. */
export function link(
  script: Script,
  dialect: Dialect,
  functions: FunctionTable,
  { literalChecks = new Map() }: LinkOptions = {},
): Linked {
  const clashes = problemList()
  const problems = problemList()
  const callables = callablesOf(script, functions, { variants: clashes, functions: problems })
  const linking: Linking = { dialect, callables, problems, suggest: suggester() }
  const calls = new Map<Call | MethodCall, ResolvedCall>()
  let leftOut = 0
  for (const node of nodesOf(script)) {
    if (problems.isFull()) break
    if (node.kind !== 'call' && node.kind !== 'method') continue
    const resolved = node.kind === 'call' ? resolveCall(node, linking) : resolveMethod(node, linking)
    if (resolved === null) continue
    calls.set(node, resolved)
    leftOut += countLeftOut(resolved)
    if (leftOut > MOST_LEFT_OUT) {
      const message = `Calls leave out more than ${MOST_LEFT_OUT} parameters in all`
      problems.add('JM5910', node.arguments.open, message)
      break
    }
    checkLiteral(resolved, literalChecks, problems)
  }
  return { calls, problems: [...clashes.inTextOrder(), ...problems.inTextOrder()] }
}

type Linking = {
  readonly dialect: Dialect
  readonly callables: Callables
  readonly problems: ProblemList
  readonly suggest: Suggest
}

function resolveCall({ callee, arguments: args }: Call, linking: Linking): ResolvedCall | null {
  const { callables, problems, suggest } = linking
  const callable = callables.named(callee.text)
  if (callable === undefined) {
    const hint = isLikeBranchKeyword(callee.text)
      ? `; a further branch is '${branchKeyword(linking.dialect)} condition then'`
      : suggest(callee.text, callables.names)
    problems.add('JM4100', args.open, `Unknown function ${quoted(callee.text)}${hint}`)
    return null
  }
  const bound = bindArguments(callable, null, args, problems)
  return bound === null ? null : { target: callable.target, args: bound }
}

/** `receiver.name(x)` means `name(receiver, x)`, even if the receiver has such a property (language reference, 11.1). */
function resolveMethod(call: MethodCall, linking: Linking): ResolvedCall | null {
  const { receiver, name, arguments: args } = call
  const { callables, dialect, problems, suggest } = linking
  if (dialect === 'strict') {
    problems.add('JM2000', args.open, `Only a plain name can be called, not ${quoted(`.${name.text}`)}`)
    return null
  }
  const candidates = candidatesFor(name.text, callables)
  if (name.text.toLowerCase() === 'add' && args.kind === 'positional' && args.values.length === 1) {
    return { target: { kind: 'add', otherwise: targetForTwo(candidates) }, args: [receiver, ...args.values] }
  }
  const [callable, ...others] = candidates
  if (callable === undefined) {
    const hint = suggest(name.text, callables.names)
    problems.add('JM4100', args.open, `Unknown function ${quoted(name.text)}${hint}`)
    return null
  }
  if (others.length > 0) {
    const names = candidates.map((candidate) => candidate.name)
    const known = listed(names, names.length)
    const message = `No function is named exactly ${quoted(name.text)}; similar names are ${known}`
    problems.add('JM4100', args.open, message)
    return null
  }
  const bound = bindArguments(callable, receiver, args, problems)
  return bound === null ? null : { target: callable.target, args: bound }
}

/** The function of exactly this name, or else all whose names differ in letter case only. */
function candidatesFor(name: string, { named, alike }: Callables): readonly Callable[] {
  const exact = named(name)
  return exact === undefined ? alike(name) : [exact]
}

/**
 * What `add` calls when its receiver is not an array, which is known only when the script runs. Where no single function fits,
 * the answer is null and not a problem.
 */
function targetForTwo([callable, ...others]: readonly Callable[]): CallTarget | null {
  if (callable === undefined || others.length > 0) return null
  return callable.required <= 2 && callable.parameters.length >= 2 ? callable.target : null
}

const countLeftOut = ({ args }: ResolvedCall): number =>
  args.reduce((n, arg) => (arg === null ? n + 1 : n), 0)

function checkLiteral({ target, args }: ResolvedCall, checks: LiteralChecks, problems: ProblemList): void {
  const literal = args[1]
  if (target.kind !== 'native' || literal?.kind !== 'literal' || typeof literal.value !== 'string') return
  const fault = checks.get(target.native.name)?.(literal.value)
  if (fault != null) problems.add('JM5701', literal.span.start, `${target.native.name}: ${fault}`)
}
