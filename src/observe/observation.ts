/**
 * Facts that stages report. Call sites say what happened; the sinks in this folder alone decide what is logged, counted
 * or timed. No observation carries a key, a filter's literals or a record.
 */

/** The stages of one answer, in their order. */
export type Stage = 'authenticate' | 'parse' | 'load' | 'bind' | 'plan' | 'execute' | 'write'

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
    }
  /** Something was thrown that the caller cannot act on: a defect, or a problem on our side. */
  | { readonly kind: 'request-failed'; readonly requestId: string; readonly cause: unknown }
  | { readonly kind: 'stage-timed'; readonly stage: Stage; readonly milliseconds: number }
  | {
      readonly kind: 'snapshot-announced'
      readonly snapshot: string
      readonly clients: number
      /** Of all its files. */
      readonly bytes: number
      readonly extractedAt: Date
    }
  /** Collections of clients that are in memory now, and the bytes of their files. */
  | { readonly kind: 'partitions-held'; readonly count: number; readonly bytes: number }
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
  /** A thread that answers requests came to an unexpected end; another one takes its place. */
  | { readonly kind: 'thread-ended'; readonly thread: number; readonly cause: unknown }
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
  | { readonly kind: 'key-rotated'; readonly accountId: string }

export type Observe = (observation: Observation) => void

/** Whether it tells of one request: such are counted and logged by the thread that answers it. */
export const isOfRequest = ({ kind }: Observation): boolean => requestKinds.has(kind)

const requestKinds: ReadonlySet<Observation['kind']> = new Set([
  'request-answered',
  'request-failed',
  'stage-timed',
  'key-rotated',
])
