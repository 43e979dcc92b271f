/**
 * What becomes of errors inside of host functions (host functions never throw for what is not there): refusals of the stores are
 * answered with null or false and told in the log of the run; everything else ends the run at the call, without its inside.
 */
import { Problem, QueryProblem } from '../../kernel/problem.ts'
import type { ProblemKind } from '../../kernel/problems/kinds.ts'
import { ScriptFailure } from '../../script/problems.ts'
import type { NativeContext, NativeFunction, Value } from '../../script/values.ts'
import { hostOf } from './run-host.ts'

/** A value that the function cannot take, whatever its type. */
export const refusedArgument = (message: string): ScriptFailure => new ScriptFailure('JM5920', message)

/** What a store refuses: something unknown, a conflict, or content that is wrong. Trouble of its own has other kinds. */
const refusals: ReadonlySet<ProblemKind> = new Set(['not-found', 'conflict', 'invalid'])

/**
 * Writes. Answers `otherwise` where the store refuses, and says so in the log of the run, or else nobody would learn why.
 *
 * @throws the reason when the run is over meanwhile: it changes nothing any more
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
  log.add('Warning', redaction.message(`${name} answered ${String(otherwise)}: ${reason}`))
  return otherwise
}

/** A function whose errors are those of scripts. */
export function contained(native: NativeFunction): NativeFunction {
  if (!('waits' in native)) return native
  const waits = native.waits as (context: NativeContext, ...args: unknown[]) => Promise<Value>
  return {
    ...native,
    waits: async (context: NativeContext, ...args: unknown[]) => {
      try {
        return await waits(context, ...args)
      } catch (cause) {
        // A run that is over has a reason of its own.
        if (context.cancellation.aborted) context.work(LOOK_AT_THE_CLOCK)
        throw failureOf(native.name, cause, context)
      }
    },
  }
}

const LOOK_AT_THE_CLOCK = 1_000_000

function failureOf(name: string, cause: unknown, context: NativeContext): ScriptFailure {
  if (cause instanceof ScriptFailure) return cause
  if (cause instanceof QueryProblem) return refusedArgument(`${name}: ${placed(cause)}`)
  if (cause instanceof Problem) return refusedArgument(`${name}: ${cause.message}`)
  hostOf(context).defects.push(cause)
  return refusedArgument(`${name} could not be carried out; the log of the service says why`)
}

function placed({ parameter, message, column }: QueryProblem): string {
  const at = column === undefined ? '' : ` at column ${column}`
  return `Invalid ${parameter}${at}: ${message}`
}
