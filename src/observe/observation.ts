/**
 * Facts that stages report. Call sites say what happened; the sinks in this folder alone decide what is logged, counted
 * or timed. No observation carries a key, a filter's literals or a record.
 */
import type { RouteFamily } from './route-family.ts'

/** The stages of one answer, in their order. */
export type Stage = 'authenticate' | 'parse' | 'load' | 'bind' | 'plan' | 'execute' | 'write'

/** What is written while the service runs. */
export type WrittenStore = 'control' | 'history' | 'snapshots'

export type Observation =
  /** A request came to its end; `route` is the pattern, never the raw address. */
  | {
      readonly kind: 'request-answered'
      readonly requestId: string
      readonly method: string
      readonly route: string
      readonly status: number
      readonly milliseconds: number
      /** Of the body. */
      readonly bytes: number
      readonly clientNumber: string | undefined
      /** Code of the problem that was answered, e.g. `QRY101`. */
      readonly problem: string | undefined
      /** The caller went away before the last byte. */
      readonly aborted: boolean
      /** The credential was not good, or there was none. */
      readonly refusedCaller?: RefusedCaller | undefined
    }
  /** The first failure of an address in a minute. */
  | {
      readonly kind: 'authentication-failed'
      readonly requestId: string
      readonly address: string
      readonly routes: RouteFamily
    }
  /** Further failures of an address in a minute that is over, or those of all addresses that were not told one by one. */
  | {
      readonly kind: 'authentication-failures'
      /** Null: of several. */
      readonly address: string | null
      readonly addresses: number
      readonly failures: number
      /** How many of them were answered with 429. */
      readonly limited: number | null
      readonly routes: readonly RouteFamily[] | null
    }
  /** The service listens on more than this machine, and keys can be read on their way unless a proxy encrypts. */
  | { readonly kind: 'keys-in-the-clear'; readonly host: string }
  /** Something was thrown that the caller cannot act on: a defect, or a problem on our side. */
  | { readonly kind: 'request-failed'; readonly requestId: string; readonly cause: unknown }
  | { readonly kind: 'stage-timed'; readonly stage: Stage; readonly milliseconds: number }
  /** How busy a thread is that answers requests, told every second. */
  | {
      readonly kind: 'load-measured'
      /** Requests that it computes. */
      readonly running: number
      /** Requests that wait for their turn. */
      readonly waiting: number
      readonly eventLoopDelayMs: number
      /** Since it was told last. */
      readonly refused: ShedRequests
    }
  /** Requests were refused because of too much load; told in summary. */
  | { readonly kind: 'requests-shed'; readonly refused: ShedRequests; readonly seconds: number }
  | {
      readonly kind: 'snapshot-announced'
      readonly snapshot: string
      readonly clients: number
      /** Of all its files. */
      readonly bytes: number
      readonly extractedAt: Date
    }
  /** Something that may be wrong with the snapshot that was announced, although its refresh was published. */
  | {
      readonly kind: 'snapshot-warned'
      readonly snapshot: string
      /** Which kind of warning. */
      readonly warning: string
      readonly message: string
      /** How many clients it concerns. */
      readonly clients: number
    }
  /** Collections of clients that are in memory now, and the bytes of their files. */
  | {
      readonly kind: 'partitions-held'
      readonly count: number
      readonly bytes: number
      /** Of files that were replaced or let go, and are there only because answers are being read from them. */
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
  /** It is of another format; nothing is wrong with it. */
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
  /** A thread came to an unexpected end; another one takes its place. */
  | {
      readonly kind: 'thread-ended'
      /** Those that answer requests, or those that run scripts. */
      readonly group: 'api' | 'script'
      readonly thread: number
      readonly cause: unknown
    }
  /** Runs of scripts came faster than they could be written down: their records are lost. */
  | {
      readonly kind: 'history-lost'
      readonly executions: number
      readonly reason: string
      /** It is counted; the log has told it already. */
      readonly isKnown?: boolean
    }
  /** The file of the history could not be read: it was put aside and a new one begun. */
  | { readonly kind: 'history-damaged'; readonly movedTo: string; readonly reason: string }
  /** The history is tried to be kept within its limits again later. */
  | { readonly kind: 'history-not-pruned'; readonly reason: string }
  /** There is no room or no right to write; what is there is still read. Told once, as is that writing works again. */
  | { readonly kind: 'writing-failed'; readonly store: WrittenStore; readonly reason: string }
  | { readonly kind: 'writing-resumed'; readonly store: WrittenStore }
  /** Only one thread answers, although more were wanted. */
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
  /** A refresh ended by a defect, not by what was wrong with its source. */
  | { readonly kind: 'refresh-failed'; readonly cause: unknown }
  /** A refresh was ended because the service was told to stop. Nothing was published. */
  | { readonly kind: 'refresh-stopped'; readonly source: string }
  | { readonly kind: 'key-rotated'; readonly accountId: string }
  /** A caller was not let in; the reason is not for them. */
  | {
      readonly kind: 'token-refused'
      readonly requestId: string
      readonly reason: string
      /** It is told together with others of its address. */
      readonly inSummary: boolean
    }
  /** The signature of a delivery was missing, wrong or too old. */
  | {
      readonly kind: 'delivery-refused'
      readonly requestId: string
      readonly endpointId: string
      readonly endpointName: string
      readonly reason: string
      readonly inSummary: boolean
    }
  /** It is unknown, inactive or expired: deliveries are refused until somebody stores it. */
  | {
      readonly kind: 'signing-secret-missing'
      readonly requestId: string
      readonly endpointId: string
      readonly endpointName: string
      /** Its name. */
      readonly secret: string
    }
  /** A line that a script wrote, told when its run is over, without secrets. */
  | {
      readonly kind: 'script-logged'
      readonly executionId: string
      /** Its name. */
      readonly endpoint: string
      readonly level: 'Debug' | 'Information' | 'Warning' | 'Error'
      readonly message: string
      /** When it was written. */
      readonly loggedAt: string
    }
  /** Why a run of a script did not succeed: a matter of the script, told without secrets. */
  | {
      readonly kind: 'script-failed'
      readonly executionId: string
      readonly endpoint: string
      readonly code: string
      readonly message: string
      readonly line: number | null
    }
  /** Something of ours went wrong while a script ran. */
  | {
      readonly kind: 'script-defect'
      readonly executionId: string
      readonly endpoint: string
      readonly cause: unknown
    }

  /** Answers that were not taken by their readers for so long, although there was more to send. */
  | {
      readonly kind: 'readers-cut-off'
      readonly readers: number
      readonly seconds: number
      /** They stood still for as long as anybody may, or they held memory that is needed. */
      readonly reason: 'idle' | 'memory'
    }
  /** Requests that were still being answered so long after the service was told to stop. */
  | { readonly kind: 'requests-cut-off'; readonly requests: number; readonly seconds: number }
  /** Of one thread. */
  | { readonly kind: 'connections-open'; readonly connections: number }
  /** Beyond what may be open in all or from one address, since this was told last. */
  | { readonly kind: 'connections-refused'; readonly total: number; readonly perAddress: number }
  /** The process, or the system, has no room for another open file, which a connection is too. */
  | { readonly kind: 'files-exhausted'; readonly found: string }

export type RefusedCaller = {
  readonly routes: RouteFamily
  /** It is told together with others of its address, and needs no line. */
  readonly inSummary: boolean
}
/**
 * How many requests were refused: because their account used all of its share, because they waited too long for others, or
 * because the event loop was late.
 */
export type ShedRequests = Readonly<Record<'account' | 'queue' | 'late', number>>

export type Observe = (observation: Observation) => void

/** Whether it tells of one request: such are counted and logged by the thread that answers it. */
export const isOfRequest = ({ kind }: Observation): boolean => requestKinds.has(kind)

const requestKinds: ReadonlySet<Observation['kind']> = new Set([
  'request-answered',
  'request-failed',
  'stage-timed',
  'load-measured',
  'requests-shed',
  'key-rotated',
  'script-logged',
  'script-failed',
  'script-defect',
  'token-refused',
  'delivery-refused',
  'authentication-failed',
  'authentication-failures',
  'readers-cut-off',
  'connections-open',
  'connections-refused',
  'signing-secret-missing',
])
