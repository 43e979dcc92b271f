/** Converts an execution into its two rows and back: a narrow row for lists, and everything else as JSON. */
import { fold } from '../../kernel/text.ts'
import { type Execution, type ExecutionSummary, nothingSent } from '../../schema/execution-shapes.ts'
import type { ExecutionRow } from './history-tables.ts'

/** The columns of a summary; the others serve the search and the totals in `kept`. */
export const SUMMARY_COLUMNS = [
  'sequence',
  'id',
  'type',
  'status',
  'endpoint_id',
  'endpoint_name',
  'category',
  'version',
  'method',
  'path',
  'response_status',
  'started_at',
  'completed_at',
  'queued_ms',
  'execution_ms',
  'statements',
  'loops',
  'principal_id',
  'request_id',
  'rerun_of',
  'error_message',
  'request_count',
] as const

export type SummaryRow = Pick<ExecutionRow, (typeof SUMMARY_COLUMNS)[number]>

export const summaryOf = (row: SummaryRow): ExecutionSummary => ({
  id: row.id,
  type: row.type,
  status: row.status,
  endpointId: row.endpoint_id,
  endpointName: row.endpoint_name,
  category: row.category,
  version: row.version,
  method: row.method,
  path: row.path,
  responseStatus: row.response_status,
  startedAt: momentOf(row.started_at),
  completedAt: momentOf(row.completed_at),
  queuedMs: row.queued_ms,
  executionTimeMs: row.execution_ms,
  statementCount: row.statements,
  loopCount: row.loops,
  principalId: row.principal_id,
  requestId: row.request_id,
  rerunOf: row.rerun_of,
  errorMessage: row.error_message,
  requestCount: row.request_count,
})

export const executionOf = (row: SummaryRow, detail: string): Execution => ({
  ...summaryOf(row),
  // Older rows do not have these members.
  sent: nothingSent,
  recorded: 'full',
  read: null,
  ...(JSON.parse(detail) as StoredDetail),
})

type ExecutionDetail = Omit<Execution, keyof ExecutionSummary>

/** Almost all runs send nothing to others, and have no such member. */
type StoredDetail = Omit<ExecutionDetail, 'sent' | 'recorded' | 'read'> &
  Partial<Pick<ExecutionDetail, 'sent' | 'recorded' | 'read'>>

export function detailOf(execution: Execution): string {
  const { recorded, request, response, log, error, cancellationReason, sent, read } = execution
  const hasSent = sent.httpRequests > 0 || sent.mails > 0
  const detail = {
    recorded,
    request,
    response,
    log,
    error,
    cancellationReason,
    ...(hasSent ? { sent } : {}),
    ...(read === null ? {} : { read }),
  }
  return JSON.stringify(detail satisfies StoredDetail)
}

export const rowOf = (execution: Execution, sequence: number, bytes: number): ExecutionRow => ({
  sequence,
  id: execution.id,
  type: execution.type,
  status: execution.status,
  endpoint_id: execution.endpointId,
  endpoint_name: execution.endpointName,
  category: execution.category,
  version: execution.version,
  method: execution.method,
  path: execution.path,
  response_status: execution.responseStatus,
  started_at: Date.parse(execution.startedAt),
  completed_at: Date.parse(execution.completedAt),
  queued_ms: execution.queuedMs,
  execution_ms: execution.executionTimeMs,
  statements: execution.statementCount,
  loops: execution.loopCount,
  principal_id: execution.principalId,
  request_id: execution.requestId,
  rerun_of: execution.rerunOf,
  error_message: execution.errorMessage,
  searched: fold([execution.endpointName, execution.path, execution.errorMessage ?? ''].join('\n')),
  bytes,
  request_count: execution.requestCount,
})

export const momentOf = (milliseconds: number): string => new Date(milliseconds).toISOString()
