/** Runs of scripts: lists, records, statistics and reruns. */

import { mayDo } from '../../auth/operator-roles.ts'
import { unknownExecution } from '../../automation/operations/problems.ts'
import { runReport } from '../../automation/runs/run-states.ts'
import { executionSorts } from '../../directory/history/history.ts'
import Type from '../../kernel/type.ts'
import { CALL_DEPTH_HEADER, callDepthOf } from '../../outbound/call-depth.ts'
import { Execution, ExecutionStatistics, ExecutionSummary, Notepad } from '../../schema/execution-shapes.ts'
import { nullable } from '../../schema/shapes.ts'
import type { AdminDeps, ResourceRoutes } from '../admin-deps.ts'
import type { AddRoute } from '../admin-route.ts'
import { dayParameter, pageParameters, pageShape, queryShape } from '../paging.ts'
import { roleRequired } from '../problems.ts'
import { executionConditions, filterOf } from './execution-filter.ts'
import { RunReport } from './run-shapes.ts'

const tag = 'Executions'
const params = Type.Object({ id: Type.String({ format: 'uuid', description: 'Id of the run' }) })
/** Who may read what callers send, and what they get. */
const BODIES = 'support or author'
const unknown = 'There is no such run in the history'

export const executionRoutes: ResourceRoutes = (add, deps) => {
  readingRoutes(add, deps)
  statisticsRoute(add, deps)
  rerunRoute(add, deps)
}

function readingRoutes(add: AddRoute, { history }: AdminDeps): void {
  add({
    method: 'GET',
    path: '/executions',
    operationId: 'listExecutions',
    role: 'viewer',
    tag,
    summary: 'List runs, newest first',
    description:
      'A run appears shortly after it has ended. `total` is exact up to 10,000; for conditions without an index only the newest 100,000 runs are counted. Endpoint, caller, rare statuses and types, errors (`4xx`, `5xx`) and ids have an index. `content` needs the role `support`, `author` or `admin`.',
    query: queryShape({
      ...executionConditions,
      sort: Type.Enum([...executionSorts], {
        default: '-startedAt',
        description:
          'By start or duration; `-` for newest or slowest first. By duration, all matching runs are read for each page: give a time',
      }),
      total: Type.Boolean({ default: true, description: 'Whether to count the runs; later pages need not' }),
      ...pageParameters,
    }),
    answer: {
      description: 'A page of runs',
      shape: Type.Object({
        ...pageShape(ExecutionSummary).properties,
        total: nullable(Type.Integer({ description: 'Runs that match; null when it was not asked for' })),
        totalIsExact: Type.Boolean({ description: 'False when at least `total` runs match' }),
      }),
    },
    leaves: {
      action: 'execution.search',
      entry: ({ query: { content, endpointId }, roles }) =>
        content && mayDo(roles, BODIES)
          ? { subjectId: endpointId ?? 'executions', after: { content } }
          : null,
    },
    handle: async ({ query: { limit, after, sort, total: counts, ...given }, roles }) => {
      // Whoever may ask whether a body has a text can find out what is in it.
      if (given.content && !mayDo(roles, BODIES)) throw roleRequired(BODIES)
      const filter = filterOf(given)
      const page = await history.list(filter, { limit, after, sort })
      if (!counts) return { ...page, total: null, totalIsExact: false }
      // All of them are here.
      if (after === undefined && page.next === null) {
        return { ...page, total: page.items.length, totalIsExact: true }
      }
      return { ...page, ...(await history.count(filter)) }
    },
  })
  add({
    method: 'GET',
    path: '/executions/:id',
    operationId: 'getExecution',
    role: 'support or author',
    tag,
    summary: 'Get a run',
    description:
      'Credentials, and the fields that the endpoint masks, are not recorded; they are replaced by `[redacted]`. Of the number of a payment card only the last four digits are recorded. `read` names the clients and secrets that the run has read, whatever the endpoint records.',
    params,
    answer: { description: 'The run', shape: Execution },
    refusals: { 404: unknown },
    leaves: { action: 'execution.view', entry: ({ params: { id } }) => ({ subjectId: id, after: null }) },
    handle: async ({ params: { id } }) => {
      const execution = await history.find(id)
      if (execution === null) throw unknownExecution(id)
      return execution
    },
  })
  add({
    method: 'GET',
    path: '/executions/:id/notepads',
    operationId: 'listExecutionNotepads',
    role: 'support or author',
    tag,
    summary: 'List the notepads of a run',
    params,
    answer: { description: 'The notepads of the run', shape: pageShape(Notepad) },
    refusals: { 404: unknown },
    leaves: {
      action: 'execution.view-notepads',
      entry: ({ params: { id } }) => ({ subjectId: id, after: null }),
    },
    handle: async ({ params: { id } }) => {
      const items = await history.notepads.list({ executionId: id })
      // A run that has not ended has no record yet, but may have notepads.
      if (items.length === 0 && (await history.find(id)) === null) throw unknownExecution(id)
      return { items, next: null }
    },
  })
}

function statisticsRoute(add: AddRoute, { history }: AdminDeps): void {
  add({
    method: 'GET',
    path: '/executions/statistics',
    operationId: 'getExecutionStatistics',
    role: 'viewer',
    tag,
    summary: 'Get statistics of endpoints',
    description:
      'Returns one item for every endpoint that ran. Trials do not count. The figures stay when the runs themselves are removed.',
    query: queryShape({
      endpointId: Type.Optional(Type.String({ format: 'uuid', description: 'Only this endpoint' })),
      from: dayParameter('Days at or after this one'),
      to: dayParameter('Days before this one'),
    }),
    answer: { description: 'The statistics', shape: pageShape(ExecutionStatistics) },
    handle: async ({ query }) => ({ items: await history.statistics(query), next: null }),
  })
}

function rerunRoute(add: AddRoute, { operations }: AdminDeps): void {
  add({
    method: 'POST',
    path: '/executions/:id/rerun',
    operationId: 'rerunExecution',
    role: 'support or author',
    tag,
    summary: 'Rerun a recorded request',
    description:
      'The writes of the script stay, like those of any other run. Only you get the response. Parts of the request that were not recorded are missing: credentials stay `[redacted]`, and the caller has a name but no roles.',
    params,
    body: Type.Object(
      {
        version: Type.Enum(['original', 'current'], {
          default: 'original',
          description: 'The version that ran, or the version that is published now',
        }),
      },
      { additionalProperties: false },
    ),
    answer: { description: 'The report of the run', shape: RunReport },
    refusals: {
      404: `${unknown}, or its endpoint or version was deleted`,
      409: 'The run was a trial of a draft or a refused request, its request was not recorded in full, or the endpoint is not published now',
      503: 'Too many runs are in progress',
    },
    isBeyondStore: true,
    handle: async ({ params: { id }, body: { version }, user, request }) => {
      const callDepth = callDepthOf(request.headers[CALL_DEPTH_HEADER]) ?? 0
      return runReport(await operations.rerun(id, version, { user, requestId: request.id, callDepth }))
    },
  })
}
