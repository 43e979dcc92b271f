/**
 * The interface of the language: text -> program -> result. A program is made once and runs any number of times; runs share
 * nothing. Other folders import only this file, `values.ts` (the values of runs) and `problems.ts` (problems and limits).
 */
import type { Cancellation } from '../kernel/cancellation.ts'
import { heldSince, isTurnDue, turn } from '../kernel/turns.ts'
import { type FunctionTable, functionTable } from './check/callables.ts'
import { allProblems, checkScript } from './check/check-script.ts'
import { importsIn } from './check/gather-modules.ts'
import { literalChecks } from './check/literal-checks.ts'
import { literalEntries } from './check/literal-entries.ts'
import { type WarningOptions, warnings } from './check/warnings.ts'
import type { Program } from './compile/code.ts'
import { compile } from './compile/compile.ts'
import { type LimitName, ScriptFailure } from './failure.ts'
import { type Limits, languageLimits, noLimits } from './run/limits.ts'
import { Machine } from './run/machine.ts'
import type { MachineOptions } from './run/machine-state.ts'
import { runToEnd } from './run/run-to-end.ts'
import type { ScriptProblem } from './script-problem.ts'
import type { ModuleText } from './source-map.ts'
import type { NativeContext, NativeFunction } from './stdlib/definition.ts'
import { library } from './stdlib/library.ts'
import type { Dialect } from './syntax/ast.ts'
import { parseScript } from './syntax/parse-script.ts'
import { readJson } from './values/json-read.ts'
import { writeJson } from './values/json-write.ts'
import type { Value } from './values/value.ts'

export type { Program } from './compile/code.ts'
export type { RunPlace } from './run/machine-state.ts'
export { HEAP_SHORT, type HeapPlace, SharedHeap } from './run/shared-heap.ts'
export type { ModuleText } from './source-map.ts'
/** The functions that every script can call. */
export { library as libraryFunctions } from './stdlib/library.ts'
export { type Dialect, dialects } from './syntax/ast.ts'

export type CompileOptions = {
  readonly dialect?: Dialect
  /** Functions of the host, which replace library functions of the same name. */
  readonly functions?: readonly NativeFunction[]
  /** The language stops at the first syntax problem; for authors, `all` goes on with the next statement. */
  readonly syntaxProblems?: 'first' | 'all'
  /** The modules that the script may import, with all that they import. */
  readonly modules?: readonly ModuleText[]
  /** The name of the script when it is itself a module. */
  readonly moduleName?: string | undefined
}

export type Compilation =
  | { readonly program: Program; readonly problems: readonly [] }
  | { readonly program: null; readonly problems: readonly ScriptProblem[] }

/** Longest script, in UTF-16 code units. Compiling one of that length takes about a second. */
const MOST_UNITS = 2 ** 20

/** Reports all problems that can be found before a run; a script with a problem does not run. */
export function compileScript(text: string, options: CompileOptions = {}): Compilation {
  const {
    dialect = 'service',
    functions = [],
    syntaxProblems: wanted = 'first',
    modules,
    moduleName,
  } = options
  const length = (modules ?? []).reduce((sum, { script }) => sum + script.length + 1, text.length)
  if (length > MOST_UNITS) {
    const message = `A script with its modules may have at most ${MOST_UNITS} characters; this one has ${length}`
    return { program: null, problems: [{ code: 'JM2000', message, at: Math.min(text.length, MOST_UNITS) }] }
  }
  const table = functions.length === 0 ? libraryTables[dialect] : functionTable(libraries[dialect], functions)
  const checked = checkScript(text, {
    dialect,
    functions: table,
    literalChecks,
    ...(modules && { modules }),
    ...(moduleName !== undefined && { moduleName }),
  })
  if (checked.script !== null) return compile(checked.script)
  const { problems } = checked
  return {
    program: null,
    problems: wanted === 'all' ? allProblems(text, dialect, problems) : problems,
  }
}

export type ImportReference = { readonly name: string; readonly version: number | null }

/** The modules that a script of the service dialect imports itself; none for a script that cannot be parsed. */
export function importsOf(text: string): readonly ImportReference[] {
  // Most scripts import nothing.
  if (!text.includes('import')) return []
  const { script } = parseScript(text, 'service')
  return script === null ? [] : importsIn(script).map(({ name, version }) => ({ name: name.text, version }))
}

/** As {@link literalEntries}; none for a script that cannot be parsed. */
export function literalEntriesOf(text: string, member: string): readonly string[] {
  // Most scripts have no such member.
  if (!text.toLowerCase().includes(member.toLowerCase())) return []
  const { script } = parseScript(text, 'service')
  return script === null ? [] : literalEntries(script, member)
}

/** Warns of code that is allowed but probably a mistake. Expects a script without problems. */
export function warningsOf(
  text: string,
  dialect: Dialect,
  options: WarningOptions = {},
): readonly ScriptProblem[] {
  const { script } = parseScript(text, dialect)
  return script === null ? [] : warnings(script, dialect, options)
}

/** Formats a script, or returns its syntax problems. The formatter is loaded on demand, because the service never formats. */
export async function formatScript(
  text: string,
  dialect: Dialect,
): Promise<string | readonly ScriptProblem[]> {
  const { formatScript } = await import('./format/format-script.ts')
  return formatScript(text, dialect)
}

/** The reference of the standard library as Markdown. */
export async function libraryPage(): Promise<string> {
  const { libraryPage } = await import('./docs/library-page.ts')
  return libraryPage()
}

/** Tables for the reference of these functions as Markdown. */
export async function functionTables(functions: readonly NativeFunction[]): Promise<string> {
  const { functionTables } = await import('./docs/library-page.ts')
  return functionTables(functions)
}

const libraries: { readonly [D in Dialect]: readonly NativeFunction[] } = {
  service: library,
  strict: library.filter(({ aliasOf }) => aliasOf === undefined),
}

const libraryTables: { readonly [D in Dialect]: FunctionTable } = {
  service: functionTable(libraries.service, []),
  strict: functionTable(libraries.strict, []),
}

export type RunOptions = {
  /** JSON of `Data`; an empty object by default. */
  readonly input?: string | undefined
  /** By default only memory and depth are limited; giving one limit sets the others to those of the language (section 9). */
  readonly limits?: Partial<Limits> | null | undefined
  readonly cancellation?: Cancellation | undefined
  readonly pauseAfter?: number | undefined
}

export type RunResult = {
  readonly success: boolean
  /** `Data` as JSON, also when the run failed; empty when it cannot be written as JSON. */
  readonly output: string
  readonly problem: ScriptProblem | null
  /** The limit that ended the run. */
  readonly limit: LimitName | null
  /** The message of `exit` or `fail`. */
  readonly returnMessage: string | null
  readonly statements: number
  readonly rounds: number
}

/** @throws JsonFault when the input is not JSON */
export async function runScript(program: Program, options: RunOptions = {}): Promise<RunResult> {
  const limits = options.limits == null ? noLimits : { ...languageLimits, ...options.limits }
  const { input = '{}' } = options
  const machine = await run(program, { ...options, limits }, (context) => readJson(input, context))
  return resultOf(machine, limits)
}

/** The outcome of a run for a host, which reads the values of `Data` itself. */
export type FinishedRun = Omit<RunResult, 'success' | 'output'> & {
  readonly data: Value
  /** When the time limit is reached, by `performance.now()`: what the host makes of the values counts as well. */
  readonly deadline: number
  /** Milliseconds in which the run worked, or waited for functions of the host. */
  readonly usedMs: number
}

/** What a run has counted so far. */
export type LiveCounts = Pick<Machine, 'counts' | 'hostCalls'>

/**
 * Runs a program whose `Data` is made from several texts and read in parts.
 *
 * @param read makes `Data`, counted like the script's own values; errors other than failures of scripts are rethrown
 */
export async function runWith(
  program: Program,
  options: MachineOptions,
  read: (context: NativeContext) => Value,
): Promise<FinishedRun> {
  const { data, problem, limit, message, counts, deadline, usedMs } = await run(program, options, read)
  return { data, problem, limit, returnMessage: message, deadline, usedMs, ...counts }
}

async function run(
  program: Program,
  options: MachineOptions,
  read: (context: NativeContext) => Value,
): Promise<Machine> {
  const { owner } = options
  // Reading many large inputs, one after the other, would hold the thread as long as all of them together.
  if (isTurnDue(owner)) await turn(owner)
  giveBackShapes(program)
  const machine = new Machine(program, options)
  const began = performance.now()
  try {
    const isRead = takeInput(machine, read)
    machine.usedMs = performance.now() - began
    heldSince(began, owner)
    if (isRead) await runToEnd(machine)
  } finally {
    machine.readers.endAll()
    giveBackShapes(program)
  }
  return machine
}

function giveBackShapes({ emptyShape, hostShape }: Program): void {
  emptyShape.giveBack()
  hostShape.giveBack()
}

/** Returns false when reading the input ends the run with a failure. */
function takeInput(machine: Machine, read: (context: NativeContext) => Value): boolean {
  try {
    machine.receive(read)
    return true
  } catch (cause) {
    if (!(cause instanceof ScriptFailure)) throw cause
    machine.end(cause)
    return false
  }
}

function resultOf(machine: Machine, { outputBytes }: Limits): RunResult {
  const { data, message, counts } = machine
  let { problem, limit } = machine
  let output = ''
  try {
    // The output is written even when the time of the run is over.
    output = writeJson(data, { work: () => undefined, mostBytes: outputBytes, escapes: 'plain' })
  } catch (cause) {
    if (!(cause instanceof ScriptFailure)) throw cause
    problem ??= { code: cause.code, message: cause.message, at: null }
    limit ??= cause.limit
  }
  return { success: problem === null, output, problem, limit, returnMessage: message, ...counts }
}
