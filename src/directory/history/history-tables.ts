/**
 * The tables of the history as the query builder sees them. Moments are milliseconds since 1970, which keeps the indexes
 * that every list reads narrow.
 */
import type { Generated } from 'kysely'
import type { ExecutionSummary, RerunItem, RerunJob, SeriesStep } from '../../schema/execution-shapes.ts'

export type HistoryTables = {
  readonly executions: ExecutionRow
  readonly execution_details: ExecutionDetailRow
  readonly endpoint_days: EndpointDayRow
  readonly kept: KeptRow
  readonly notepads: NotepadRow
  readonly deliveries: DeliveryRow
  readonly live_nodes: LiveNodeRow
  readonly live_questions: LiveQuestionRow
  readonly live_answers: LiveAnswerRow
  readonly endpoint_figures: EndpointFiguresRow
  readonly rerun_jobs: RerunJobRow
  readonly rerun_items: RerunItemRow
}

/** What lists show and filters compare. The rest lies in another table, so that a search reads as few pages as possible. */
export type ExecutionRow = {
  /** Grows in the order of recording; decides between runs that began in the same millisecond. */
  readonly sequence: number
  readonly id: string
  readonly type: ExecutionSummary['type']
  readonly status: ExecutionSummary['status']
  readonly endpoint_id: string
  readonly endpoint_name: string
  readonly category: ExecutionSummary['category']
  readonly version: number | null
  readonly method: string
  readonly path: string
  readonly response_status: number
  readonly started_at: number
  readonly completed_at: number
  readonly queued_ms: number
  readonly execution_ms: number
  readonly statements: number
  readonly loops: number
  readonly principal_id: string | null
  readonly request_id: string | null
  readonly rerun_of: string | null
  readonly error_message: string | null
  /** Endpoint name, path and error message, folded, one per line. */
  readonly searched: string
  /** Length of the detail in bytes of UTF-8. */
  readonly bytes: number
  /** How many requests the row stands for: more than one only for refusals. */
  readonly request_count: number
}

export type ExecutionDetailRow = {
  readonly sequence: number
  /** Request, response, log, error and reason of cancellation, as JSON. */
  readonly detail: string
}

/** One day (UTC) of one endpoint, without trials. Stays when the runs are deleted. */
export type EndpointDayRow = {
  readonly endpoint_id: string
  readonly day: string
  /** The newest name on that day. */
  readonly endpoint_name: string
  readonly runs: number
  readonly succeeded: number
  readonly failed: number
  readonly cancelled: number
  readonly execution_ms: number
  readonly longest_ms: number
  readonly statements: number
  readonly last_started_at: number
}

/** One row with the totals of the other tables, so that no query has to count. Every change of them updates it too. */
type KeptRow = {
  readonly executions: number
  /** Bytes of the details of executions and of the contents of notepads. */
  readonly bytes: number
  /** The last sequence number given to an execution. */
  readonly sequence: number
}

export type NotepadRow = {
  readonly sequence: Generated<number>
  readonly id: string
  readonly source_id: string | null
  readonly execution_id: string
  readonly created_at: number
  readonly created_by: string
  /** As JSON. */
  readonly content: string
  readonly bytes: number
}

type DeliveryRow = {
  readonly sequence: Generated<number>
  readonly endpoint_id: string
  readonly delivery_id: string
  readonly state: 'running' | 'done'
  /** From this moment the delivery counts as never received. */
  readonly until: number
  /** The end of the window, to which `until` is set once the delivery is done. */
  readonly window_end: number
}

/** A service that uses this store. */
type LiveNodeRow = { readonly node: string; readonly seen_at: number }

type LiveQuestionRow = { readonly id: string; readonly question: string; readonly asked_at: number }

type LiveAnswerRow = { readonly question_id: string; readonly node: string; readonly answer: string }
/** One minute, hour or day (UTC) of one endpoint, without trials. Stays when the runs are deleted. */
export type EndpointFiguresRow = {
  readonly step: SeriesStep
  /** Where the step begins. */
  readonly at: number
  readonly endpoint_id: string
  readonly runs: number
  readonly failed: number
  readonly cancelled: number
  /** Requests, which are not among the runs. */
  readonly refused: number
  /** A histogram of the durations of the runs (duration-histogram.ts). */
  readonly durations: string
}

/** Runs that an operator has asked to repeat. */
export type RerunJobRow = {
  readonly sequence: Generated<number>
  readonly id: string
  readonly requested_by: string
  readonly requested_at: number
  readonly request_id: string | null
  /** As JSON. */
  readonly filter: string
  readonly version: RerunJob['version']
  /** 1 while an item waits or runs. */
  readonly is_open: 0 | 1
}

export type RerunItemRow = {
  readonly job_id: string
  readonly position: number
  readonly execution_id: string
  readonly state: RerunItem['state']
  /** The id of the new run; given before it begins. */
  readonly rerun_id: string | null
  readonly status: ExecutionSummary['status'] | null
  readonly problem: string | null
}

/** The values of almost all runs: rows with other values have their own indexes. */
export const USUAL = { status: 'Success', type: 'DynamicEndpoint' } as const
