/** The record of a run that nobody can tell about any more, because the thread that it ran in has ended. */
import type { Execution } from '../../schema/execution-shapes.ts'
import type { RunProblem } from '../problems.ts'
import { hideCredentials } from '../redaction/hide-credentials.ts'
import { createRedaction } from '../redaction/redaction.ts'
import type { RunJob } from '../runs/run-job.ts'
import { recordOf } from './run-record.ts'

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
    log: [],
    startedAt: began,
    completedAt: ended,
    milliseconds: ended - began,
  } as const
  // Which secrets the run had read is not known, so that its body cannot be cleaned of them.
  const request = { ...job.request, rawBody: null }
  return recordOf({ ...job, request }, { ...lost, log: [] }, redaction, bodyBytes)
}
