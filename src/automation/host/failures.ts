/**
 * Decides what an error inside a host function does to the script. When a store refuses, the function returns null or false and
 * the log of the run says why. Every other error ends the run at the call; the script does not see the cause.
 */
import { Problem, QueryProblem } from '../../kernel/problem.ts'
import type { ProblemKind } from '../../kernel/problems/kinds.ts'
import { ScriptFailure } from '../../script/problems.ts'
import type { NativeContext, NativeFunction, Value } from '../../script/values.ts'
import { hostOf } from './run-host.ts'

/** For a value of the right type that the function cannot use. */
export const refusedArgument = (message: string): ScriptFailure => new ScriptFailure('JM5920', message)

/** The kinds of problems with which a store refuses. When the store itself fails, its problems have other kinds. */
const refusals: ReadonlySet<ProblemKind> = new Set(['not-found', 'conflict', 'invalid'])

/**
 * Attempts a write. Returns `otherwise` when the store refuses, and logs the reason in the log of the run.
 *
 * @throws the reason of the cancellation when the run is over: it must not change anything any more
 */
export async function unlessRefused<Answer>(
  context: NativeContext,
  name: string,
  otherwise: Answer,
  attempt: () => Promise<Answer>,
): Promise<Answer> {
  if (context.cancellation.aborted) throw context.cancellation.reason
  try {
    return await attempt()
  } catch (cause) {
    if (!(cause instanceof Problem && refusals.has(cause.kind))) throw cause
    return refused(context, name, otherwise, cause.message)
  }
}

export function refused<Answer>(
  context: NativeContext,
  name: string,
  otherwise: Answer,
  reason: string,
): Answer {
  const { log, redaction } = hostOf(context)
  log.add('Warning', redaction.message(`${name} returned ${String(otherwise)}: ${reason}`))
  return otherwise
}

/** Wraps a host function so that it throws nothing but ScriptFailures. */
export function contained(native: NativeFunction): NativeFunction {
  if (!('waits' in native)) return native
  const waits = native.waits as (context: NativeContext, ...args: unknown[]) => Promise<Value>
  return {
    ...native,
    waits: (context: NativeContext, ...args: unknown[]) =>
      containedWait(native.name, context, () => waits(context, ...args)),
  }
}

/** Waits for what a function does. @throws ScriptFailure and nothing else */
export async function containedWait<Result>(
  name: string,
  context: NativeContext,
  wait: () => Promise<Result>,
): Promise<Result> {
  const host = hostOf(context)
  host.reads.add('function', name)
  host.waitingSince = performance.now()
  try {
    return await wait()
  } catch (cause) {
    // When the run is over, this throws the reason for its end instead.
    if (context.cancellation.aborted) context.work(LOOK_AT_THE_CLOCK)
    throw failureOf(name, cause, context)
  } finally {
    // A wait that the end of the run has cut short stays visible.
    if (!context.cancellation.aborted) host.waitingSince = null
  }
}

const LOOK_AT_THE_CLOCK = 1_000_000

function failureOf(name: string, cause: unknown, context: NativeContext): ScriptFailure {
  if (cause instanceof ScriptFailure) return cause
  if (cause instanceof QueryProblem) return refusedArgument(`${name}: ${placed(cause)}`)
  if (cause instanceof Problem && cause.forCallers !== undefined)
    hostOf(context).unavailable = cause.forCallers
  if (cause instanceof Problem) return refusedArgument(`${name}: ${cause.message}${advice(cause)}`)
  hostOf(context).defects.push(cause)
  return refusedArgument(`${name} failed in the service; the log of the service says why`)
}

/** What to do, and the code under which the documentation has more. */
const advice = ({ hint, code }: Problem): string => (hint === undefined ? '' : `. ${hint} (${code})`)

function placed({ parameter, message, column }: QueryProblem): string {
  const at = column === undefined ? '' : ` at column ${column}`
  return `Invalid ${parameter}${at}: ${message}`
}
