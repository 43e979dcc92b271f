/**
 * Whether a result is still needed. An AbortSignal fits this type. Work that only polls `aborted` needs no events, so a
 * plain object is enough and costs less.
 */
export interface Cancellation {
  readonly aborted: boolean
  /** What to throw when `aborted` is true. */
  readonly reason?: unknown
  /** Who the result is for. Owners get equal shares of processor time, however many requests each of them sends. */
  readonly owner?: string
}
