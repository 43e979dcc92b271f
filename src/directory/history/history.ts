/**
 * The history of runs, in its own file beside the control store, so that writing it never delays a change of an account or
 * makes caches read accounts again. Secrets are removed before a run is recorded.
 */
import type {
  Execution,
  ExecutionStatistics,
  ExecutionSummary,
  Notepad,
} from '../../schema/execution-shapes.ts'

export type ExecutionFilter = {
  readonly status?: Execution['status'] | undefined
  readonly type?: Execution['type'] | undefined
  readonly endpointId?: string | undefined
  readonly category?: string | undefined
  /** Within endpoint name, path or error message, without regard to case. */
  readonly text?: string | undefined
  /** ISO 8601 moments of the start: from inclusive, to exclusive. */
  readonly from?: string | undefined
  readonly to?: string | undefined
}

export type ExecutionPage = {
  /** Newest first. */
  readonly items: readonly ExecutionSummary[]
  /** Pass it as `after` to get the next page; null on the last one. */
  readonly next: string | null
}

/** How much history is kept; the oldest goes first. */
export type Retention = { readonly days: number; readonly count: number; readonly bytes: number }

/** `new`: this caller handles it. `running`: another caller is handling it. `done`: it is handled. */
export type DeliveryState = 'new' | 'running' | 'done'

export type History = {
  /** All of them in one transaction. */
  readonly record: (executions: readonly Execution[]) => Promise<void>
  readonly list: (
    filter: ExecutionFilter,
    page: { readonly limit: number; readonly after?: string | undefined },
  ) => Promise<ExecutionPage>
  readonly find: (id: string) => Promise<Execution | null>
  /** By endpoint, kept after the details are deleted. Trials do not count. Days such as `2026-01-31`: `from` inclusive, `to` exclusive. */
  readonly statistics: (filter?: {
    readonly endpointId?: string | undefined
    readonly from?: string | undefined
    readonly to?: string | undefined
  }) => Promise<readonly ExecutionStatistics[]>
  /** Removes a small batch of runs that exceed the limits, with their notepads. @returns how many rows; call again until 0 */
  readonly prune: (retention: Retention, now: Date) => Promise<number>
  readonly notepads: {
    readonly create: (notepad: Notepad) => Promise<void>
    /** Oldest first; the newest 1,000 if there are more. */
    readonly list: (filter: {
      readonly executionId?: string
      readonly sourceId?: string
    }) => Promise<readonly Notepad[]>
    readonly find: (id: string) => Promise<Notepad | null>
    readonly remove: (id: string) => Promise<boolean>
  }
  readonly deliveries: {
    /** One atomic step. A claim that is not settled within seven minutes counts as abandoned. */
    readonly claim: (
      endpointId: string,
      deliveryId: string,
      windowSeconds: number,
      now: Date,
    ) => Promise<DeliveryState>
    /** Forgets a failed delivery, so that the sender's next attempt runs. */
    readonly settle: (endpointId: string, deliveryId: string, succeeded: boolean) => Promise<void>
  }
  readonly close: () => Promise<void>
}
