/**
 * The states of one run of an endpoint's script, and the one type that each of them has. Plain data, because a run goes from
 * thread to thread; only `AnsweredRun` stays in the thread that ran the script.
 *
 *     RunJob ............. queued: it waits for a place (run-queue.ts)
 *       │ └──────────────> RunProblem END101, END102, END104 or END110: refused. Nothing ran and nothing is recorded.
 *       │
 *     running ............ program, `Data` and host functions (run-endpoint.ts)
 *       │ ├──────────────> RunProblem END103: lost with its thread. Recorded as failed (history/failed-run-record.ts).
 *       │ └──────────────> RejectedRun: the body is not the JSON that it says it is. Answered with 400, not recorded.
 *       │
 *     EndedRun ........... Success, Failed (by the script, by a limit, by a defect) or Cancelled (ended-run.ts)
 *       │
 *     AnsweredRun ........ the response is known and may leave; the record is still to be made (run-endpoint.ts)
 *       │
 *     RecordedRun ........ what the service gets for its job: response, record, writes of a dry run (record-run.ts)
 *
 * A `RunProblem` (../problems.ts) is thrown, and goes between threads as a `PlainRunProblem`.
 */
import type { User } from '../../kernel/user.ts'
import type { EndpointDefinition, EndpointLimits } from '../../schema/endpoint-shapes.ts'
import type { Execution } from '../../schema/execution-shapes.ts'
import type { LimitName } from '../../script/problems.ts'

/** The request as scripts see it (specification 4.3, design 8.4). The body is read where the script runs. */
export type ScriptRequest = {
  readonly method: string
  /** As the caller asked for it, decoded. */
  readonly path: string
  /** Raw, with its `?`; empty when there is none. */
  readonly queryString: string
  /** A repeated name has an array. */
  readonly query: Readonly<Record<string, string | readonly string[]>>
  /** Names in lower case; repeated ones are joined. */
  readonly headers: Readonly<Record<string, string>>
  /** By name of the path's parameters, decoded. */
  readonly params: Readonly<Record<string, string>>
  /** Null when there is none, and for methods whose body is not read. */
  readonly rawBody: string | null
  /** How the body is read; `text` is not read any further. */
  readonly bodyKind: 'json' | 'form' | 'text'
  readonly user: User
}

export type ScriptResponse = {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Null where there is none, as with 204. */
  readonly body: string | null
}

/** Queued: everything that a thread needs to run the script. */
export type RunJob = {
  readonly executionId: string
  readonly type: Execution['type']
  readonly endpoint: Pick<EndpointDefinition, 'name' | 'category'> & {
    readonly id: string
    readonly limits: EndpointLimits
  }
  /** A published version, or the draft itself. */
  readonly source: { readonly version: number } | { readonly script: string }
  readonly request: ScriptRequest
  readonly requestId: string | null
  readonly rerunOf: string | null
  /** Headers that carry a signature: their values are not recorded. */
  readonly signatureHeaders: readonly string[]
  /** Milliseconds since 1970. */
  readonly arrivedAt: number
}

/** Rejected: the caller gets this response, and the script did not run. */
export type RejectedRun = { readonly status: 'Rejected'; readonly response: ScriptResponse }

/** Ended: what the caller is answered, and why the run did not succeed. */
export type EndedRun = RunEnd & {
  readonly response: ScriptResponse
  readonly statements: number
  readonly rounds: number
}

type RunEnd =
  | { readonly status: 'Success'; readonly failure: null; readonly cancellationReason: null }
  | { readonly status: 'Failed'; readonly failure: RunFailure; readonly cancellationReason: null }
  | { readonly status: 'Cancelled'; readonly failure: RunFailure; readonly cancellationReason: string }

/** Why a run did not succeed. */
export type RunFailure = {
  readonly code: string
  readonly message: string
  readonly line: number | null
  readonly column: number | null
  /** The limit that ended the run; null when it ended otherwise. */
  readonly limit: LimitName | null
}

/** Answered: the response can leave before the record is made. */
export type AnsweredRun = {
  readonly response: ScriptResponse
  /** Characters that are held for the record, as far as they can be many. */
  readonly size: number
  /** Makes the record; to be called exactly once. */
  readonly record: () => Promise<RecordedRun>
}

/** Recorded: the end of every run that was neither refused nor lost. */
export type RecordedRun = {
  readonly response: ScriptResponse
  /** Null when nothing ran, and when the thread that ran the script keeps the record itself. */
  readonly execution: Execution | null
  /** What a trial held back; empty otherwise. */
  readonly dryRunWrites: readonly DryRunWrite[]
}

/** A recorded run as operators see it, in the admin API and on the command line, where `heldWrites` is a public name. */
export type RunReport = Omit<RecordedRun, 'dryRunWrites'> & { readonly heldWrites: readonly DryRunWrite[] }

export const runReport = ({ response, execution, dryRunWrites }: RecordedRun): RunReport => ({
  response,
  execution,
  heldWrites: dryRunWrites,
})

/** A write that a trial held back: a change as the audit trail would tell it, or a message that was not sent. */
export type DryRunWrite = {
  readonly action: string
  readonly subjectId: string
  readonly before: unknown
  readonly after: unknown
}

/** Runs one job, in this thread or in another. @throws RunProblem when the run is refused or lost */
export type RunScript = (job: RunJob) => Promise<RecordedRun>
