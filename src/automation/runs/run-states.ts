/**
 * The states of one run of an endpoint's script, one type per state. They are plain data, because a run goes from thread to
 * thread; only `AnsweredRun` stays in the thread that ran the script.
 *
 *     RunJob ............. queued: it waits for a place (run-queue.ts)
 *       │ ├──────────────> RunProblem END101, END102, END104 or END110: refused. Nothing ran (history/refusals.ts records it).
 *       │ └──────────────> RunProblem END105, END106 or END107: cancelled while it waited (history/unfinished-run-record.ts).
 *       │
 *     running ............ program, `Data` and host functions (run-endpoint.ts)
 *       │ ├──────────────> RunProblem END103: lost with its thread. Recorded as failed (history/unfinished-run-record.ts).
 *       │ └──────────────> RejectedRun: the body claims to be JSON and is not. Answered with 400, recorded as refused.
 *       │
 *     EndedRun ........... Success, Failed (by the script, by a limit, by a defect) or Cancelled (by an operator, by a caller that
 *       │                  left, by a stop of the service, or by the script with `CancelAction`) (ended-run.ts)
 *       │
 *     AnsweredRun ........ the response is known and can be sent; the record is not made yet (run-endpoint.ts)
 *       │
 *     RecordedRun ........ the result of the job: response, record, writes of a dry run (record-run.ts)
 *
 * A `RunProblem` (../problems.ts) is thrown, and goes between threads as a `PlainRunProblem`.
 */
import type { User } from '../../kernel/user.ts'
import {
  ENDPOINT_PREFIX,
  type EndpointDefinition,
  type EndpointLimits,
} from '../../schema/endpoint-shapes.ts'
import type { Execution } from '../../schema/execution-shapes.ts'
import type { PublishedModule } from '../../schema/module-shapes.ts'
import type { SampleAnswer } from '../../schema/sample-request.ts'
import type { LimitName } from '../../script/problems.ts'

/** The request as scripts see it (specification 4.3, design 8.4). The body is read where the script runs. */
export type ScriptRequest = {
  readonly method: string
  /** The path of the request, decoded. */
  readonly path: string
  /** The query as it was sent, with its `?`; empty without a query. */
  readonly queryString: string
  /** One text per name; an array for a repeated name. */
  readonly query: Readonly<Record<string, string | readonly string[]>>
  /** Names are in lower case; values of a repeated name are joined. */
  readonly headers: Readonly<Record<string, string>>
  /** The parameters of the path, decoded. */
  readonly params: Readonly<Record<string, string>>
  /** Null without a body, and for methods whose body is not read. */
  readonly rawBody: string | null
  /** How `Data.request.body` is read; null for `text`. */
  readonly bodyKind: 'json' | 'form' | 'text'
  readonly user: User
  /** The address of the caller; null when it is not known, and left out where there is no call. */
  readonly address?: string | null
  /** Only for a run by schedule. */
  readonly schedule?: { readonly name: string; readonly dueAt: string }
}

export type ScriptResponse = {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Null for a response without a body, such as 204. */
  readonly body: string | null
  /** The body is base64 of the bytes to send; without it, the body is text. */
  readonly bodyEncoding?: 'base64'
}

/** Queued: everything that a thread needs to run the script. */
export type RunJob = {
  readonly executionId: string
  readonly type: Execution['type']
  readonly endpoint: Pick<EndpointDefinition, 'name' | 'category' | 'allowedHosts'> & {
    readonly id: string
    readonly limits: EndpointLimits
  }
  /** A published version, or the draft itself. */
  readonly source:
    | { readonly version: number }
    | { readonly script: string; readonly modules?: readonly PublishedModule[] }
  readonly request: ScriptRequest
  readonly requestId: string | null
  readonly rerunOf: string | null
  /** Headers that carry a signature: their values are not recorded. */
  readonly signatureHeaders: readonly string[]
  /** What the script's requests to others get in a trial. */
  readonly sampleAnswers?: readonly SampleAnswer[] | undefined
  /** What the endpoint wants recorded; undefined for everything. */
  readonly recording?: Recording
  /** Milliseconds since 1970. */
  readonly arrivedAt: number
}

/** What the history may keep of a run. */
export type Recording = Pick<EndpointDefinition, 'record' | 'maskedFields'> & {
  /** The path as the endpoint defines it, with the names of its parameters: it stands for the path of the request. */
  readonly pattern: string
}

/** Empty for an endpoint that records everything, as most do. */
export const recordingOf = (
  { record, maskedFields, path }: Pick<EndpointDefinition, 'record' | 'maskedFields' | 'path'>,
  pattern = ENDPOINT_PREFIX + (path ?? ''),
): Pick<RunJob, 'recording'> =>
  record === 'full' && maskedFields.length === 0 ? {} : { recording: { record, maskedFields, pattern } }

/** Rejected: the caller gets this response, and the script did not run. */
export type RejectedRun = { readonly status: 'Rejected'; readonly response: ScriptResponse }

/** Ended: the response for the caller, and why the run did not succeed. */
export type EndedRun = RunEnd & {
  readonly response: ScriptResponse
  readonly statements: number
  readonly rounds: number
  /** Milliseconds in which the script worked, or waited for functions of the host. */
  readonly usedMs: number
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

/** How a run ended. */
export type RunOutcome = EndedRun['status'] | RejectedRun['status']

/** Answered: the response can leave before the record is made. */
export type AnsweredRun = {
  readonly status: RunOutcome
  readonly response: ScriptResponse
  /** Why the run did not succeed; undefined for one that did. */
  readonly code?: string | undefined
  /** An estimate of what is kept for the record, in UTF-16 code units: bodies and log. */
  readonly size: number
  /** Makes the record. Must be called exactly once. */
  readonly record: () => Promise<RecordedRun>
}

/** Recorded: the last state of every run that was neither refused nor lost. */
export type RecordedRun = {
  readonly status: RunOutcome
  readonly response: ScriptResponse
  /** Why the run did not succeed, where there is no record here that says it. */
  readonly code?: string | undefined
  /** Null when nothing ran, and when the thread that ran the script writes the record itself. */
  readonly execution: Execution | null
  /** The writes that a trial held back; empty for other runs. */
  readonly dryRunWrites: readonly DryRunWrite[]
}

/** A recorded run as operators see it, in the admin API and on the command line, where `heldWrites` is a public name. */
export type RunReport = Pick<RecordedRun, 'response' | 'execution'> & {
  readonly heldWrites: readonly DryRunWrite[]
}

export const runReport = ({ response, execution, dryRunWrites }: RecordedRun): RunReport => ({
  response,
  execution,
  heldWrites: dryRunWrites,
})

/** A write that a trial held back: a change as the audit trail would record it, or a message that was not sent. */
export type DryRunWrite = {
  readonly action: string
  readonly subjectId: string
  readonly before: unknown
  readonly after: unknown
}

/** Runs one job, in this thread or in another. @throws RunProblem when the run is refused or lost */
export type RunScript = (job: RunJob) => Promise<RecordedRun>
