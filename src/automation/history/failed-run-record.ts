/** The record of a run that was lost with its thread, made by the thread that is left. */
import type { Execution } from '../../schema/execution-shapes.ts'
import type { RunProblem } from '../problems.ts'
import { hideCredentials } from '../redaction/hide-credentials.ts'
import { createRedaction } from '../redaction/redaction.ts'
import type { RunJob } from '../runs/run-states.ts'
import { executionRecord } from './execution-record.ts'

/** Milliseconds since 1970, and how much of a body is recorded. */
type Circumstances = { readonly began: number; readonly ended: number; readonly bodyBytes: number }

export function failedRunRecord(
  job: RunJob,
  { code, message }: RunProblem,
  { began, ended, bodyBytes }: Circumstances,
): Execution {
  const redaction = createRedaction(job.signatureHeaders)
  hideCredentials(job.request, redaction)
  const lost = {
    status: 'Failed',
    response: { status: 500, headers: {}, body: null },
    failure: { code, message, line: null, column: null, limit: null },
    cancellationReason: null,
    statements: 0,
    rounds: 0,
  } as const
  const trace = { log: [], startedAt: began, completedAt: ended, durationMs: ended - began }
  // Nobody knows which secrets the run had read, so that its body cannot be cleaned of them.
  const request = { ...job.request, rawBody: null }
  return executionRecord({ ...job, request }, lost, trace, redaction, bodyBytes)
}
