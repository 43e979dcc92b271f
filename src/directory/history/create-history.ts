/** The history of runs as one set of operations on the database that holds it. */
import type { HistoryDatabase } from '../database.ts'
import { createDeliveries } from './deliveries.ts'
import { executionStatistics } from './execution-statistics.ts'
import { findExecution } from './find-execution.ts'
import type { History } from './history.ts'
import { listExecutions } from './list-executions.ts'
import { createLiveQuestions } from './live-questions.ts'
import { createNotepads } from './notepads.ts'
import { pruneHistory } from './prune-history.ts'
import { createRecorder } from './record-executions.ts'

export function createHistory(database: HistoryDatabase): History {
  const { queries, close } = database
  return {
    record: createRecorder(database),
    list: (filter, page) => listExecutions(database, filter, page),
    find: (id) => findExecution(queries, id),
    statistics: (filter = {}) => executionStatistics(queries, filter),
    prune: (retention, now) => pruneHistory(database, retention, now),
    notepads: createNotepads(queries),
    deliveries: createDeliveries(queries),
    live: createLiveQuestions(queries),
    close,
  }
}
