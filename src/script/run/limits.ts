/** Limits of a run. Reaching a limit exactly is allowed; one more ends the run with a failure that names the limit. */

import { type LimitName, ScriptFailure } from '../failure.ts'
import type { ScriptProblemCode } from '../script-problem.ts'

/** Infinity means no limit. Times in milliseconds. */
export type Limits = { readonly [L in LimitName]: number }

/** A plain run has only the limits that any computer needs: memory, and the depth of calls. */
export const noLimits: Limits = {
  statements: Number.POSITIVE_INFINITY,
  loops: Number.POSITIVE_INFINITY,
  depth: 20_000,
  milliseconds: Number.POSITIVE_INFINITY,
  memoryBytes: 2 ** 30,
  outputBytes: Number.POSITIVE_INFINITY,
}

/** The limits of the language (section 9): setting one of them sets all. */
export const languageLimits: Limits = {
  ...noLimits,
  statements: 10_000,
  loops: 1000,
  depth: 64,
  milliseconds: 5000,
}

/** The limits of endpoints. */
export const serviceLimits: Limits = {
  statements: 1_000_000,
  loops: 1_000_000,
  depth: 64,
  milliseconds: 5000,
  memoryBytes: 64 * 2 ** 20,
  outputBytes: 8 * 2 ** 20,
}

const told: { readonly [L in LimitName]: readonly [code: ScriptProblemCode, what: string] } = {
  statements: ['JM5900', 'statements'],
  loops: ['JM5901', 'rounds of loops'],
  depth: ['JM5902', 'calls within calls'],
  milliseconds: ['JM5903', 'milliseconds'],
  memoryBytes: ['JM5910', 'bytes of values'],
  outputBytes: ['JM5911', 'bytes of output'],
}

export function limitReached(limit: LimitName, limits: Limits): ScriptFailure {
  const [code, what] = told[limit]
  return new ScriptFailure(
    code,
    `The run was ended at its limit of ${limits[limit]} ${what} (${limit})`,
    limit,
  )
}
