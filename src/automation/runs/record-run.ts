/**
 * The last step of a run: builds its record for the history, reports to the log of the service, and lists the writes of a dry
 * run. None of the three holds a secret.
 */

import { heldSince, isTurnDue, turn } from '../../kernel/turns.ts'
import type { Observe } from '../../observe/observation.ts'
import { type Execution, TRIAL } from '../../schema/execution-shapes.ts'
import { executionRecord, type RunTrace } from '../history/execution-record.ts'
import type { RunHost } from '../host/run-host.ts'
import { hideFieldsIn } from '../redaction/hide-credentials.ts'
import { CANCELLED_BY_SCRIPT } from './ended-run.ts'
import type { DryRunWrite, EndedRun, RecordedRun, RunJob } from './run-states.ts'
import type { RunStores } from './run-stores.ts'

export type RecordingDeps = {
  readonly observe: Observe
  /** The most bytes of a body that are recorded. */
  readonly historyBodyBytes: number
  /** What is done with numbers of payment cards in the history and the log; by default they are masked. */
  readonly cardNumbers?: 'mask' | 'keep'
}

type RunOfScript = {
  readonly ended: EndedRun
  readonly host: RunHost
  readonly stores: Pick<RunStores, 'dryRunWrites'>
  readonly times: Omit<RunTrace, 'log' | 'sent' | 'read'>
}

export async function recordRun(
  job: RunJob,
  { ended, host, stores, times }: RunOfScript,
  { observe, historyBodyBytes }: RecordingDeps,
): Promise<RecordedRun> {
  const { sent, held } = host.outbound
  hideFieldsIn(ended.response.body, host.redaction)
  const recordsLog = (job.recording?.record ?? 'full') === 'full'
  const log = recordsLog ? await host.log.entries(host.redaction.text) : []
  const trace = { ...times, sent, log, read: host.reads.read }
  const execution = executionRecord(job, ended, trace, host.redaction, historyBodyBytes)
  reportRun(execution, host, observe)
  return {
    status: ended.status,
    response: ended.response,
    execution,
    dryRunWrites: await cleaned([...(await stores.dryRunWrites()), ...(held ?? [])], host),
  }
}

/**
 * Reports what the script logged and why it failed; for a trial, only errors inside the service. A script that cancels its run
 * has not failed.
 */
function reportRun(execution: Execution, { defects, outbound }: RunHost, observe: Observe): void {
  const { id, type, endpointName, log, error } = execution
  const run = { executionId: id, endpoint: endpointName }
  if (type !== TRIAL) {
    for (const { time, level, message } of log) {
      observe({ kind: 'script-logged', ...run, level, message, loggedAt: time })
    }
    if (error !== null && error.code !== CANCELLED_BY_SCRIPT) {
      const { code, message, line } = error
      observe({ kind: 'script-failed', ...run, code, message, line })
    }
    const { sent, outcomes } = outbound
    if (sent.httpRequests + sent.mails > 0) {
      observe({ kind: 'script-sent', ...run, sent, httpOutcomes: outcomes.http, mailOutcomes: outcomes.mail })
    }
  }
  for (const cause of defects) observe({ kind: 'script-defect', ...run, cause })
}

/** Redacts the writes: operators who run trials need not know the secrets that scripts read. */
async function cleaned(
  writes: readonly DryRunWrite[],
  { redaction }: RunHost,
): Promise<readonly DryRunWrite[]> {
  const clean = (value: unknown): unknown => JSON.parse(redaction.body(JSON.stringify(value), 'json'))
  const shown: DryRunWrite[] = []
  for (const write of writes) {
    if (isTurnDue()) await turn()
    const began = performance.now()
    shown.push({ ...write, before: clean(write.before), after: clean(write.after) })
    heldSince(began)
  }
  return shown
}
