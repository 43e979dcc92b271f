/**
 * The language from outside: text -> program -> result. A program is made once and runs any number of times; a run shares
 * nothing with another. The outside imports this file, `values.ts` (what runs compute with) and `problems.ts` (what can be
 * wrong, and limits), and no other of this folder.
 */
import type { Cancellation } from '../kernel/cancellation.ts'
import { type FunctionTable, functionTable } from './check/callables.ts'
import { checkScript } from './check/check-script.ts'
import { warnings } from './check/warnings.ts'
import type { Program } from './compile/code.ts'
import { compile } from './compile/compile.ts'
import { type LimitName, ScriptFailure } from './failure.ts'
import { type Limits, languageLimits, noLimits } from './run/limits.ts'
import { Machine } from './run/machine.ts'
import type { MachineOptions } from './run/machine-state.ts'
import { runToEnd } from './run/run-to-end.ts'
import type { ScriptProblem } from './script-problem.ts'
import type { NativeContext, NativeFunction } from './stdlib/definition.ts'
import { library } from './stdlib/library.ts'
import { checkPattern } from './stdlib/regex/regex.ts'
import type { Dialect } from './syntax/ast.ts'
import { parseScript } from './syntax/parse-script.ts'
import { readJson } from './values/json-read.ts'
import { writeJson } from './values/json-write.ts'
import type { Value } from './values/value.ts'

export type { Program } from './compile/code.ts'
export { type Dialect, dialects } from './syntax/ast.ts'

export type CompileOptions = {
  readonly dialect?: Dialect
  /** Functions of the host, which replace those of the library that have the same name. */
  readonly functions?: readonly NativeFunction[]
}

export type Compilation =
  | { readonly program: Program; readonly problems: readonly [] }
  | { readonly program: null; readonly problems: readonly ScriptProblem[] }

/** Of a script. Getting one of that length ready takes about a second. */
const MOST_UNITS = 2 ** 20

/** Finds all problems that can be found before a run; nothing runs while there is one. */
export function compileScript(
  text: string,
  { dialect = 'service', functions = [] }: CompileOptions = {},
): Compilation {
  if (text.length > MOST_UNITS) {
    const message = `A script may have ${MOST_UNITS} characters at most; this one has ${text.length}`
    return { program: null, problems: [{ code: 'JM2000', message, at: MOST_UNITS }] }
  }
  const table = functions.length === 0 ? libraryTable : functionTable(library, functions)
  const checked = checkScript(text, { dialect, functions: table, literalChecks })
  return checked.script === null ? { program: null, problems: checked.problems } : compile(checked.script)
}

/** What is allowed, and hardly what was meant. Of a script without problems. */
export function warningsOf(text: string, dialect: Dialect): readonly ScriptProblem[] {
  const { script } = parseScript(text, dialect)
  return script === null ? [] : warnings(script, dialect)
}

/** The one way that scripts should look, or why the text cannot be parsed. Services format nothing: it is loaded when called. */
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

const libraryTable: FunctionTable = functionTable(library, [])

/** Patterns that stand in the script are looked at before it runs. */
const literalChecks = new Map(
  ['RegexTest', 'RegexMatch', 'RegexMatchAll', 'RegexMatchDetail'].map((name) => [name, checkPattern]),
)

export type RunOptions = {
  /** JSON of `Data`; an empty object by default. */
  readonly input?: string | undefined
  /** None but on memory and depth where nothing is given; one of them sets the others to those of the language (section 9). */
  readonly limits?: Partial<Limits> | null | undefined
  readonly cancellation?: Cancellation | undefined
  readonly pauseAfter?: number | undefined
}

export type RunResult = {
  readonly success: boolean
  /** JSON of `Data`, also of a run that failed, as far as it came; empty when it cannot be written as JSON. */
  readonly output: string
  readonly problem: ScriptProblem | null
  /** The limit that ended the run. */
  readonly limit: LimitName | null
  /** What was given to `exit` or `fail`. */
  readonly returnMessage: string | null
  readonly statements: number
  readonly rounds: number
}

/** @throws JsonFault when the input is no JSON */
export async function runScript(program: Program, options: RunOptions = {}): Promise<RunResult> {
  const limits = options.limits == null ? noLimits : { ...languageLimits, ...options.limits }
  const { input = '{}' } = options
  const machine = await run(program, { ...options, limits }, (context) => readJson(input, context))
  return resultOf(machine, limits)
}

/** How a run of a host's ended: the values are still there, to be looked at one by one. */
export type FinishedRun = Omit<RunResult, 'success' | 'output'> & {
  readonly data: Value
  /** When its time limit is reached, as `performance.now()` tells: what is made of the values counts as well. */
  readonly deadline: number
}

/**
 * A run whose `Data` is made of more than one text, and read in parts.
 *
 * @param read makes `Data`, counted like the script's own values; what it throws beside failures of scripts is thrown
 */
export async function runWith(
  program: Program,
  options: MachineOptions,
  read: (context: NativeContext) => Value,
): Promise<FinishedRun> {
  const { data, problem, limit, message, counts, deadline } = await run(program, options, read)
  return { data, problem, limit, returnMessage: message, deadline, ...counts }
}

async function run(
  program: Program,
  options: MachineOptions,
  read: (context: NativeContext) => Value,
): Promise<Machine> {
  const machine = new Machine(program, options)
  if (takeInput(machine, read)) await runToEnd(machine)
  return machine
}

/** Whether there is room and time for it. */
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
    // What it came to is given also when its time is over.
    output = writeJson(data, { work: () => undefined, mostBytes: outputBytes, escapes: 'plain' })
  } catch (cause) {
    if (!(cause instanceof ScriptFailure)) throw cause
    problem ??= { code: cause.code, message: cause.message, at: null }
    limit ??= cause.limit
  }
  return { success: problem === null, output, problem, limit, returnMessage: message, ...counts }
}
