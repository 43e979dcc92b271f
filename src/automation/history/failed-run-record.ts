/** Makes the record of a run that was lost with its thread. Runs in another thread. */
import type { Execution } from '../../schema/execution-shapes.ts'
import type { RunProblem } from '../problems.ts'
import { hideCredentials, hideFields } from '../redaction/hide-credentials.ts'
import { createRedaction } from '../redaction/redaction.ts'
import type { RunJob } from '../runs/run-states.ts'
import { executionRecord } from './execution-record.ts'

/** Milliseconds since 1970, and the most bytes of a body that are recorded. */
type Circumstances = {
  readonly began: number
  readonly ended: number
  readonly bodyBytes: number
  readonly cardNumbers?: 'mask' | 'keep'
}

export function failedRunRecord(
  job: RunJob,
  { code, message }: RunProblem,
  { began, ended, bodyBytes, cardNumbers }: Circumstances,
): Execution {
  const redaction = createRedaction(job.signatureHeaders, {
    maskedFields: job.recording?.maskedFields,
    cardNumbers,
  })
  hideCredentials(job.request, redaction)
  hideFields(job.request, redaction)
  const lost = {
    status: 'Failed',
    response: { status: 500, headers: {}, body: null },
    failure: { code, message, line: null, column: null, limit: null },
    cancellationReason: null,
    statements: 0,
    rounds: 0,
  } as const
  const trace = { log: [], startedAt: began, completedAt: ended, durationMs: ended - began }
  // Which secrets the run had read is unknown, so they cannot be redacted in the body.
  const request = { ...job.request, rawBody: null }
  return executionRecord({ ...job, request }, lost, trace, redaction, bodyBytes)
}
