/**
 * The facts that stages report. Call sites say what happened; only the sinks in this folder decide what is logged, counted
 * or timed. No observation contains a key, a literal of a filter or a record.
 */

import type { UpgradedStore } from '../kernel/files/upgraded-store.ts'
import type { RouteFamily } from './route-family.ts'

/** The stages of one answer, in their order. */
export type Stage = 'authenticate' | 'parse' | 'load' | 'bind' | 'plan' | 'execute' | 'write'

/** What operators can hold. */
export type HoldSubject = 'refreshes' | 'schedules' | 'outbound'

type HoldFacts = { readonly at: string; readonly by: string; readonly reason: string }

/** The stores that are written while the service runs. */
export type WrittenStore = 'control' | 'history' | 'snapshots'

export type Observation =
  /** A request ended; `route` is the pattern, never the raw address. */
  | {
      readonly kind: 'request-answered'
      readonly requestId: string
      readonly method: string
      readonly route: string
      readonly status: number
      readonly milliseconds: number
      /** Size of the body. */
      readonly bytes: number
      readonly accountId: string | undefined
      readonly clientNumber: string | undefined
      /** Address of the caller; behind a trusted proxy the one that the proxy names. */
      readonly address: string | undefined
      /** Code of the problem in the answer, e.g. `QRY101`. */
      readonly problem: string | undefined
      /** The caller disconnected before the last byte. */
      readonly aborted: boolean
      /** Given when the credential was missing or not valid. */
      readonly refusedCaller?: RefusedCaller | undefined
    }
  /** The first failure of an address in a minute. */
  | {
      readonly kind: 'authentication-failed'
      readonly requestId: string
      readonly address: string
      readonly routes: RouteFamily
    }
  /** Further failures of one address in the last minute, or of all addresses whose failures were not reported one by one. */
  | {
      readonly kind: 'authentication-failures'
      /** Null when several addresses failed. */
      readonly address: string | null
      readonly addresses: number
      readonly failures: number
      /** How many failures were answered with 429. */
      readonly limited: number | null
      readonly routes: readonly RouteFamily[] | null
    }
  /** The service listens on other addresses than loopback: without a TLS proxy, keys travel unencrypted. */
  | { readonly kind: 'keys-in-the-clear'; readonly host: string }
  /** Somebody holds refreshes, schedules, or all that goes out; also told at the start. */
  | ({ readonly kind: 'hold-begun'; readonly subject: HoldSubject } & HoldFacts)
  /** A scheduled refresh was passed over. */
  | ({ readonly kind: 'refresh-held' } & HoldFacts)
  | { readonly kind: 'hold-ended'; readonly subject: HoldSubject }
  /** At the start: what a setting names cannot be read. */
  | { readonly kind: 'setting-without-effect'; readonly setting: string; readonly reason: string }
  /** At the start: another service runs on the same data folder. */
  | { readonly kind: 'data-folder-shared'; readonly dataFolder: string }
  | ({ readonly kind: 'store-upgraded' } & UpgradedStore)
  /** At the start: another node brings the tables of the database up to date, and this one waits until it has. */
  | { readonly kind: 'store-awaited'; readonly database: string; readonly holder: string | undefined }
  /** The service has another key than the one that sealed the secrets of scripts, or none that it can read. */
  | { readonly kind: 'secrets-sealed'; readonly reason: string }
  /** A row of an account is not as it was sealed, so its key and psk are refused. Found by a look-up, or by a walk through all. */
  | ({ readonly kind: 'account-refused' } & AccountFault)
  /** All accounts were compared with their seals. */
  | {
      readonly kind: 'accounts-checked'
      readonly refused: readonly AccountFault[]
      /** True when all were sealed with another key than that of the service. */
      readonly isOfOtherKey: boolean
    }
  /** An error was thrown that the caller cannot act on: a defect, or a problem of the service. */
  | { readonly kind: 'request-failed'; readonly requestId: string; readonly cause: unknown }
  | { readonly kind: 'stage-timed'; readonly stage: Stage; readonly milliseconds: number }
  /** The load of a thread that serves requests, reported every second. */
  | {
      readonly kind: 'load-measured'
      /** Requests that the thread computes. */
      readonly running: number
      /** Requests that wait for their turn. */
      readonly waiting: number
      readonly eventLoopDelayMs: number
      /** Since the last report. */
      readonly refused: ShedRequests
    }
  /** Requests were refused because of too much load; one summary for all of them. */
  | { readonly kind: 'requests-shed'; readonly refused: ShedRequests; readonly seconds: number }
  | {
      readonly kind: 'snapshot-announced'
      readonly snapshot: string
      readonly clients: number
      /** Size of all its files. */
      readonly bytes: number
      readonly extractedAt: Date
    }
  /** A possible fault of the announced snapshot, although its refresh was published. */
  | {
      readonly kind: 'snapshot-warned'
      readonly snapshot: string
      /** Which kind of warning. */
      readonly warning: string
      readonly message: string
      /** How many clients are affected. */
      readonly clients: number
    }
  /** The collections of clients in memory, and the bytes of their files. */
  | {
      readonly kind: 'partitions-held'
      readonly count: number
      readonly bytes: number
      /** Bytes of replaced or evicted files that are still in memory because answers are being read from them. */
      readonly replacedBytes: number
    }
  /** A file alone exceeds the memory budget: while it is in use, nothing else stays loaded. */
  | {
      readonly kind: 'budget-exceeded'
      readonly clientNumber: string
      readonly stored: string
      readonly bytes: number
      readonly budget: number
    }
  /** A snapshot has another format, which is not damage. */
  | { readonly kind: 'snapshot-skipped'; readonly snapshot: string; readonly reason: string }
  | {
      readonly kind: 'snapshot-damaged'
      readonly snapshot: string
      readonly file: string
      readonly reason: string
    }
  | {
      readonly kind: 'partition-loaded'
      readonly snapshot: string
      readonly clientNumber: string
      readonly stored: string
      readonly bytes: number
      readonly milliseconds: number
    }
  /** A file of shared snapshots was fetched from their storage. */
  | { readonly kind: 'object-fetched'; readonly bytes: number; readonly milliseconds: number }
  /** A file of shared snapshots could not be fetched: the storage was away, or sent something else. */
  | {
      readonly kind: 'object-fetch-failed'
      readonly reason: string
      /** The log has already reported it, so it is only counted. */
      readonly isKnown?: boolean
    }
  /** Files of shared snapshots can be fetched again. */
  | { readonly kind: 'object-fetches-resumed' }
  /** Bytes of the files of shared snapshots on the local disk. */
  | { readonly kind: 'snapshot-cache-held'; readonly bytes: number }
  /** The local disk takes no files of shared snapshots: they are fetched again whenever they are loaded. */
  | { readonly kind: 'snapshot-cache-not-written'; readonly reason: string }
  /** A thread ended unexpectedly; a new one replaces it. */
  | {
      readonly kind: 'thread-ended'
      /** `api` threads serve requests, `script` threads run scripts. */
      readonly group: 'api' | 'script'
      readonly thread: number
      readonly cause: unknown
    }
  /** Runs of scripts that could not be recorded, because writing failed or was too slow. */
  | {
      readonly kind: 'history-lost'
      readonly executions: number
      readonly reason: string
      /** The log has already reported it, so it is only counted. */
      readonly isKnown?: boolean
    }
  /** How many losses were only counted; reported when writing works again or the service stops. */
  | { readonly kind: 'history-losses'; readonly executions: number; readonly reason: string }
  /** The file of the history could not be read: it was moved away and a new one created. */
  | { readonly kind: 'history-damaged'; readonly movedTo: string; readonly reason: string }
  /** Old runs could not be removed from the history; the service tries again later. */
  | { readonly kind: 'history-not-pruned'; readonly reason: string }
  /** Operators may not be notified of an endpoint that fails. */
  | { readonly kind: 'failing-endpoints-not-told'; readonly reason: string }
  /** This node does the work that one of several nodes does, such as scheduled refreshes. */
  | { readonly kind: 'scheduled-work-taken' }
  /** Another node may do it now; `reason` is null when this node has given it back. */
  | { readonly kind: 'scheduled-work-gone'; readonly reason: string | null }
  /** Due times of a schedule up to this one were missed, and its policy drops them. */
  | {
      readonly kind: 'schedule-skipped'
      readonly endpoint: string
      readonly schedule: string
      readonly until: string
    }
  /** A schedule cannot be read, or a run of it not noted; the service tries again. Reported once. */
  | { readonly kind: 'schedules-failed'; readonly cause: unknown }
  /** An attempt to deliver a webhook ended; `status` is null without an answer, `error` is null when it succeeded. */
  | {
      readonly kind: 'webhook-sent'
      readonly webhookId: string
      readonly status: number | null
      readonly error: string | null
      readonly milliseconds: number
    }
  /** A webhook is not sent to any more, until somebody resumes it. */
  | { readonly kind: 'webhook-paused'; readonly webhookId: string; readonly reason: string }
  /** The queue of deliveries cannot be read or written; the service tries again. Reported once. */
  | { readonly kind: 'webhook-queue-failed'; readonly cause: unknown }
  /** What changed with a snapshot was recorded for webhooks and streams. */
  | { readonly kind: 'changes-recorded'; readonly snapshotId: string; readonly clients: number }
  /** It could not be recorded; the service tries again. Reported once. */
  | { readonly kind: 'changes-not-recorded'; readonly cause: unknown }
  /** A store cannot be written, for lack of space or rights; it can still be read. Reported once, as is the resumption. */
  | {
      readonly kind: 'writing-failed'
      readonly store: WrittenStore
      readonly reason: string
      /** True when it cannot be read either. */
      readonly isAway?: boolean
    }
  | { readonly kind: 'writing-resumed'; readonly store: WrittenStore }
  /** Only one thread serves requests, although more were wanted. */
  | { readonly kind: 'threads-limited'; readonly wanted: number; readonly reason: string }
  | { readonly kind: 'refresh-started'; readonly source: string }
  | {
      readonly kind: 'refresh-published'
      readonly snapshot: string
      readonly rejects: number
      readonly milliseconds: number
    }
  | {
      readonly kind: 'refresh-refused'
      readonly source: string
      readonly code: string
      readonly reason: string
    }
  /** A refresh failed because of a defect, not because of its source. */
  | { readonly kind: 'refresh-failed'; readonly cause: unknown }
  /** The control store cannot be written; the refresh goes on. Reported once for each. */
  | { readonly kind: 'refresh-not-recorded'; readonly cause: unknown }
  /** A refresh was stopped, with the service or because another node may refresh now. Nothing was published. */
  | { readonly kind: 'refresh-stopped'; readonly source: string }
  | { readonly kind: 'key-rotated'; readonly accountId: string }
  /** A token was refused; the caller is not told the reason. */
  | {
      readonly kind: 'token-refused'
      readonly requestId: string
      readonly reason: string
      /** True when it is part of the summary of its address. */
      readonly inSummary: boolean
    }
  /** A token could not be checked, because the keys cannot be read; the reason names where they were looked for. */
  | { readonly kind: 'token-not-checked'; readonly requestId: string; readonly reason: string }
  /** The signature of a delivery was missing, wrong or too old. */
  | {
      readonly kind: 'delivery-refused'
      readonly requestId: string
      readonly endpointId: string
      readonly endpointName: string
      readonly reason: string
      readonly inSummary: boolean
    }
  /** A secret is unknown, inactive or expired: deliveries are refused until it is stored. */
  | {
      readonly kind: 'signing-secret-missing'
      readonly requestId: string
      readonly endpointId: string
      readonly endpointName: string
      /** Name of the secret. */
      readonly secret: string
    }
  /** A delivery was signed while its endpoint accepts two secrets. */
  | {
      readonly kind: 'rotated-signature'
      readonly endpointName: string
      readonly by: 'current' | 'previous'
    }
  /** A line that a script logged, without secrets; reported when its run is over. */
  | {
      readonly kind: 'script-logged'
      readonly executionId: string
      /** Name of the endpoint. */
      readonly endpoint: string
      readonly level: 'Debug' | 'Information' | 'Warning' | 'Error'
      readonly message: string
      /** When it was written. */
      readonly loggedAt: string
    }
  /** Why a run of a script failed, without secrets. The script is the cause. */
  | {
      readonly kind: 'script-failed'
      readonly executionId: string
      readonly endpoint: string
      readonly code: string
      readonly message: string
      readonly line: number | null
    }
  /** What a run of a script sent to others, by outcome: the class of a status, or `failed` without an answer. */
  | {
      readonly kind: 'script-sent'
      readonly executionId: string
      readonly endpoint: string
      readonly sent: { readonly httpSentBytes: number; readonly httpReadBytes: number }
      readonly httpOutcomes: ReadonlyMap<string, number>
      readonly mailOutcomes: ReadonlyMap<string, number>
    }
  /** The service itself failed while a script ran. */
  | {
      readonly kind: 'script-defect'
      readonly executionId: string
      readonly endpoint: string
      readonly cause: unknown
    }

  /** Answers were cut off because their readers had read nothing for `seconds`. */
  | {
      readonly kind: 'readers-cut-off'
      readonly readers: number
      readonly seconds: number
      /** `idle`: longer than readerIdleSeconds. `memory`: they held memory that was needed. */
      readonly reason: 'idle' | 'memory'
    }
  /** Requests that were still being answered `seconds` after the signal to stop. */
  | { readonly kind: 'requests-cut-off'; readonly requests: number; readonly seconds: number }
  /** Open connections of one thread. */
  | { readonly kind: 'connections-open'; readonly connections: number }
  /** Connections above the limit in total or per address, since the last report. */
  | { readonly kind: 'connections-refused'; readonly total: number; readonly perAddress: number }
  /** Lines of the log were dropped: too many waited because its reader did not keep up, or the reader has gone. */
  | { readonly kind: 'log-lines-dropped'; readonly lines: number }
  /** Lines of the log are written again, after this many were dropped. */
  | { readonly kind: 'log-resumed'; readonly lines: number; readonly seconds: number }
  /** The service answers requests. */
  | {
      readonly kind: 'service-started'
      readonly version: string
      readonly address: string
      /** Null unless operators have an address of their own. */
      readonly operatorAddress: string | null
      readonly threads: number
      readonly scriptThreads: number
      readonly dataFolder: string
    }
  /** The runs of scripts at this moment, counted whenever the metrics are read. */
  | {
      readonly kind: 'runs-counted'
      /** Runs that have not begun. */
      readonly queued: number
      /** Runs that have begun and have a place. */
      readonly working: number
      /** Runs that have begun and left their place, because they wait for something slow. */
      readonly away: number
    }
  | { readonly kind: 'service-stopping'; readonly reason: string }
  | {
      readonly kind: 'service-stopped'
      readonly reason: string
      readonly milliseconds: number
      readonly requestsCutOff: number
      readonly runsCutOff: number
    }
  /** Runs of scripts that were cancelled because they had not ended `seconds` after the signal to stop. */
  | { readonly kind: 'runs-cut-off'; readonly runs: number; readonly seconds: number }
  /** A process that was killed had begun these runs and not recorded them; now they are recorded as lost. */
  | { readonly kind: 'runs-lost'; readonly runs: number }
  /** The file cannot be written that tells the next start which runs were lost. */
  | { readonly kind: 'run-journal-failed'; readonly reason: string }
  /** The process or the system cannot open another file, and thus no connection either. */
  | { readonly kind: 'files-exhausted'; readonly found: string }

export type AccountFault = {
  readonly accountId: string
  readonly fault: 'missing' | 'altered' | 'other-key'
}

export type Answered = Extract<Observation, { readonly kind: 'request-answered' }>

export type RefusedCaller = {
  readonly routes: RouteFamily
  /** True when it is part of the summary of its address and needs no line. */
  readonly inSummary: boolean
}
/**
 * How many requests were refused: because their account used all of its share (`account`), because other accounts used the
 * slots (`queue`), or because the event loop was late (`late`).
 */
export type ShedRequests = Readonly<Record<'account' | 'queue' | 'late', number>>

export type Observe = (observation: Observation) => void

/** How each kind of observation is counted. */
export type Recorders = {
  readonly [K in Observation['kind']]: (observation: Extract<Observation, { kind: K }>) => void
}
