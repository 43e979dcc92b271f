/** What is kept of a refresh: the figures of its process, and how it ended. Plain data, so that processes can pass it on. */
import type { Problem } from '../../kernel/problem.ts'
import type {
  RefreshFigures,
  RefreshFindings,
  RefreshOutcome,
  RefreshReason,
} from '../../schema/refresh-shapes.ts'
import { reasonsOf } from '../refusal-reasons.ts'

export type RefreshReport = Omit<RefreshFigures, 'progress' | 'reasons'> & RefreshFindings

export type RefreshEnd = {
  readonly outcome: Exclude<RefreshOutcome, 'running' | 'lost'>
  readonly snapshot: string | null
  readonly reasons: readonly RefreshReason[]
  /** Null when the process did not come so far, or was killed. */
  readonly report: RefreshReport | null
}

/** How a refresh ended that did not publish. */
export type Refusal = Pick<RefreshEnd, 'outcome' | 'reasons'>

export const refusalOf = (problem: Problem, signal: AbortSignal): Refusal => ({
  outcome: outcomeOf(problem, signal),
  reasons: reasonsOf(problem),
})

/** A signal that is aborted with a problem, such as a time limit, is not somebody's wish. */
function outcomeOf(problem: Problem, signal: AbortSignal): Refusal['outcome'] {
  if (signal.aborted) return problem === signal.reason ? 'failed' : 'cancelled'
  return problem.kind === 'extract-refused' || problem.kind === 'unreadable' ? 'refused' : 'failed'
}
