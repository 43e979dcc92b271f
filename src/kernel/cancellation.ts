/**
 * Whether somebody still waits for what is being worked out. An AbortSignal is one; whoever only has to be asked, and never
 * tells by itself, can be had for less.
 */
export interface Cancellation {
  readonly aborted: boolean
  /** What to throw then. */
  readonly reason?: unknown
  /** For whom it is worked out: owners share the processor's time, however much each of them asks for. */
  readonly owner?: string
}
