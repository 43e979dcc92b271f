/**
 * The history of runs, in its own file beside the control store, so that writing it never delays a change of an account or
 * makes caches read accounts again. Secrets are removed before a run is recorded.
 */
import type {
  Execution,
  ExecutionStatistics,
  ExecutionSummary,
  Notepad,
  RerunItem,
  RerunJob,
  SeriesPoint,
  SeriesStep,
} from '../../schema/execution-shapes.ts'
import type { LiveQuestions } from './live-questions.ts'

export type ExecutionFilter = {
  readonly status?: Execution['status'] | undefined
  readonly type?: Execution['type'] | undefined
  readonly endpointId?: string | undefined
  readonly category?: string | undefined
  readonly version?: number | undefined
  /** An id, or at least the first eight characters of one. */
  readonly executionId?: string | undefined
  readonly principalId?: string | undefined
  readonly requestId?: string | undefined
  /** `404`, or `4xx` for a whole class. */
  readonly responseStatus?: string | undefined
  /** Both inclusive. */
  readonly minExecutionTimeMs?: number | undefined
  readonly maxExecutionTimeMs?: number | undefined
  /** Within endpoint name, path or error message, without regard to case. */
  readonly text?: string | undefined
  /** Within request, response, log or error, exactly as written there. */
  readonly content?: string | undefined
  /** ISO 8601 moments of the start: from inclusive, to exclusive. */
  readonly from?: string | undefined
  readonly to?: string | undefined
}

export const executionSorts = ['-startedAt', 'startedAt', '-executionTimeMs', 'executionTimeMs'] as const

export type ExecutionSort = (typeof executionSorts)[number]

export type PageRequest = {
  readonly limit: number
  readonly after?: string | undefined
  /** By default the newest first. */
  readonly sort?: ExecutionSort | undefined
}

export type ExecutionPage = {
  /** A search for a content may find fewer than `limit`, although there is a next page. */
  readonly items: readonly ExecutionSummary[]
  /** Pass it as `after` to get the next page; null on the last one. */
  readonly next: string | null
}

/** When it is not exact, at least as many match. */
export type ExecutionCount = { readonly total: number; readonly totalIsExact: boolean }

export type SeriesQuery = {
  /** All endpoints together unless given. */
  readonly endpointId?: string | undefined
  readonly step: SeriesStep
  /** Milliseconds since 1970: from inclusive, to exclusive. Points begin at whole minutes, hours and days of UTC. */
  readonly from: number
  readonly to: number
}

export type NewRerunJob = Pick<RerunJob, 'id' | 'requestedBy' | 'filter' | 'version'> & {
  readonly requestId: string | null
  /** Oldest first. */
  readonly executionIds: readonly string[]
}

/** One run that is to be repeated, as the work on jobs gets it. */
export type ClaimedRerun = Pick<RerunJob, 'version' | 'requestedBy'> & {
  readonly jobId: string
  readonly position: number
  readonly executionId: string
  /** The id that the new run will have. */
  readonly rerunId: string
  /** The request that has asked for the job. */
  readonly requestId: string | null
}

export type RerunOutcome =
  | { readonly state: 'done'; readonly status: Execution['status'] }
  | { readonly state: 'skipped' | 'interrupted'; readonly problem: string }
  /** It has not begun, and is to be tried again. */
  | { readonly state: 'waiting' }

/** Jobs that repeat many runs. Each run is claimed before it begins, so that none is ever begun twice. */
export type Reruns = {
  readonly create: (job: NewRerunJob) => Promise<void>
  /** Newest first. `after` is `next` of the page before. */
  readonly list: (page: { readonly limit: number; readonly after: number | null }) => Promise<{
    readonly items: readonly RerunJob[]
    readonly next: number | null
    readonly total: number
  }>
  readonly find: (id: string) => Promise<RerunJob | null>
  readonly items: (id: string) => Promise<readonly RerunItem[]>
  /** How many of these runs a job has repeated or is to repeat. */
  readonly repeated: (executionIds: readonly string[]) => Promise<number>
  /** Runs that have not begun will not. @returns whether there is such a job */
  readonly stop: (id: string) => Promise<boolean>
  /** The next waiting run of the oldest job; null when none waits. */
  readonly claim: (rerunId: string) => Promise<ClaimedRerun | null>
  readonly settle: (run: Pick<ClaimedRerun, 'jobId' | 'position'>, outcome: RerunOutcome) => Promise<void>
  /** To be called before the first claim of a process: runs that another one has claimed are interrupted. */
  readonly interruptRunning: (problem: string) => Promise<void>
}

/** How much history is kept; the oldest goes first. */
export type Retention = {
  readonly days: number
  readonly count: number
  readonly bytes: number
  /** Days for which the figures of minutes, hours and days are kept; by default forever. */
  readonly figures?: Readonly<Record<SeriesStep, number>>
}

/** `new`: this caller handles it. `running`: another caller is handling it. `done`: it is handled. */
export type DeliveryState = 'new' | 'running' | 'done'

export type History = {
  /** All of them in one transaction. */
  readonly record: (executions: readonly Execution[]) => Promise<void>
  readonly list: (filter: ExecutionFilter, page: PageRequest) => Promise<ExecutionPage>
  /** Counts up to 10,000, and without an index among the newest 100,000 runs only. */
  readonly count: (filter: ExecutionFilter) => Promise<ExecutionCount>
  /** Removes the oldest runs that match, with their notepads. Figures stay. @returns how many; at most `most` */
  readonly delete: (filter: ExecutionFilter, most: number) => Promise<number>
  /** One point for each step, also for those without runs. */
  readonly series: (query: SeriesQuery) => Promise<readonly SeriesPoint[]>
  readonly reruns: Reruns
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
  /** Questions about the runs of the services that use this store. */
  readonly live: LiveQuestions
  readonly close: () => Promise<void>
}
