/** One run of an endpoint's script: what is asked for and what comes of it. Plain data, for it goes from thread to thread. */
import type { User } from '../../kernel/user.ts'
import type { EndpointDefinition, EndpointLimits } from '../../schema/endpoint-shapes.ts'
import type { Execution } from '../../schema/execution-shapes.ts'

/** The request as scripts see it (specification 4.3, design 8.4), but for its body, which is read where the script runs. */
export type ScriptRequest = {
  readonly method: string
  /** As it was asked for, decoded. */
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
  /** How it is to be read; `text` is not read any further. */
  readonly bodyKind: 'json' | 'form' | 'text'
  readonly user: User
}

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

export type ScriptResponse = {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Null where there is none, as with 204. */
  readonly body: string | null
}

/** What a test held back: a change of the directory, as the audit trail would have told it, or a message not sent. */
export type HeldWrite = {
  readonly action: string
  readonly subjectId: string
  readonly before: unknown
  readonly after: unknown
}

export type RunReport = {
  readonly response: ScriptResponse
  /** Null when the request was refused before the script: then nothing ran. */
  readonly execution: Execution | null
  /** Of tests; empty otherwise. */
  readonly heldWrites: readonly HeldWrite[]
}

/** Runs one job, wherever that happens. Scripts that fail are an outcome; it throws a Problem END1xx when it cannot be run at all. */
export type RunScript = (job: RunJob) => Promise<RunReport>
