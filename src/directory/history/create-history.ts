/** The history of runs as one set of operations on the database that holds it. */
import type { HistoryDatabase } from '../database.ts'
import { deleteExecutions } from './delete-executions.ts'
import { createDeliveries } from './deliveries.ts'
import { endpointSeries } from './endpoint-figures.ts'
import { executionStatistics } from './execution-statistics.ts'
import { findExecution } from './find-execution.ts'
import type { History } from './history.ts'
import { countExecutions, listExecutions } from './list-executions.ts'
import { createLiveQuestions } from './live-questions.ts'
import { createNotepads } from './notepads.ts'
import { pruneHistory } from './prune-history.ts'
import { createRecorder } from './record-executions.ts'
import { createReruns } from './reruns.ts'

export function createHistory(database: HistoryDatabase): History {
  const { queries, close } = database
  return {
    record: createRecorder(database),
    list: (filter, page) => listExecutions(database, filter, page),
    count: (filter) => countExecutions(database, filter),
    delete: (filter, most) => deleteExecutions(database, filter, most),
    series: (query) => endpointSeries(queries, query),
    reruns: createReruns(queries),
    find: (id) => findExecution(queries, id),
    statistics: (filter = {}) => executionStatistics(queries, filter),
    prune: (retention, now) => pruneHistory(database, retention, now),
    notepads: createNotepads(queries),
    deliveries: createDeliveries(queries),
    live: createLiveQuestions(queries),
    close,
  }
}
