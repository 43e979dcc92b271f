/** What operators, in any thread, ask of the live runs: those of this process, and of other nodes that share the stores. */
import type { LiveRun } from '../../schema/execution-shapes.ts'
import type { CancelReason } from '../problems.ts'
import type { LiveEvents } from './live-feed.ts'

/** One run, or all runs of an endpoint. */
export type CancelTarget = { readonly id: string } | { readonly endpointId: string }

/** The runs of this process at one moment; events after `sequence` are not in it. */
export type LiveSnapshot = {
  readonly node: string
  readonly sequence: number
  readonly runs: readonly LiveRun[]
}

export type LiveControl = {
  /** Oldest first, of all nodes; `silent` are the nodes that did not answer in time. */
  readonly list: () => Promise<{ readonly runs: readonly LiveRun[]; readonly silent: readonly string[] }>
  /** Those of this process, which is from now on watched. */
  readonly open: () => Promise<LiveSnapshot>
  /** The events of this process after a number. */
  readonly events: (after: number) => Promise<LiveEvents>
  /** @returns the ids of the runs that end soon; empty when there is none */
  readonly cancel: (target: CancelTarget, reason: CancelReason) => Promise<readonly string[]>
}
