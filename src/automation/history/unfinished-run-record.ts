/** Makes the record of a run whose script did not reach its end: it was lost, or it was cancelled before it began. */
import { type Execution, nothingSent, type ReadByRun } from '../../schema/execution-shapes.ts'
import type { RunProblem } from '../problems.ts'
import { hideCredentials, hideFields } from '../redaction/hide-credentials.ts'
import { createRedaction, type RedactionOptions } from '../redaction/redaction.ts'
import type { RunJob } from '../runs/run-states.ts'
import { executionRecord } from './execution-record.ts'

type Circumstances = {
  /** Milliseconds since 1970. */
  readonly began: number
  readonly ended: number
  /** Milliseconds that the script took, as far as is known. */
  readonly usedMs: number
  /** The most bytes of a body that are recorded. */
  readonly bodyBytes: number
  /** Null when it is not known. */
  readonly read: ReadByRun | null
  readonly cardNumbers?: RedactionOptions['cardNumbers']
}

export function unfinishedRunRecord(
  job: RunJob,
  problem: RunProblem,
  { began, ended, usedMs, bodyBytes, read, cardNumbers }: Circumstances,
): Execution {
  const { code, message } = problem
  const status = unfinishedStatus(problem)
  const { signatureHeaders, recording } = job
  const redaction = createRedaction(signatureHeaders, { maskedFields: recording?.maskedFields, cardNumbers })
  hideCredentials(job.request, redaction)
  hideFields(job.request, redaction)
  const failure = { code, message, line: null, column: null, limit: null }
  const counts = { statements: 0, rounds: 0, usedMs }
  const end =
    status === 'Failed'
      ? ({ status, cancellationReason: null, response: { status: 500, headers: {}, body: null } } as const)
      : ({ status, cancellationReason: message, response: { status: 503, headers: {}, body: null } } as const)
  const trace = { log: [], startedAt: began, completedAt: ended, durationMs: usedMs, sent: nothingSent, read }
  // Which secrets the run had read is unknown, so they cannot be redacted in the body.
  const request = { ...job.request, rawBody: null }
  return executionRecord({ ...job, request }, { ...end, failure, ...counts }, trace, redaction, bodyBytes)
}

/** A run that was cancelled may succeed later; one that was lost is a defect. */
export const unfinishedStatus = ({ kind }: RunProblem): 'Failed' | 'Cancelled' =>
  kind === 'unavailable' ? 'Cancelled' : 'Failed'
