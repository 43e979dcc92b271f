/** Runs of scripts: lists, records, statistics and reruns. */

import { unknownExecution } from '../../automation/operations/problems.ts'
import { runReport } from '../../automation/runs/run-states.ts'
import Type from '../../kernel/type.ts'
import { endpointCategories } from '../../schema/endpoint-shapes.ts'
import {
  Execution,
  ExecutionStatistics,
  ExecutionSummary,
  executionStatuses,
  executionTypes,
  Notepad,
} from '../../schema/execution-shapes.ts'
import type { AdminDeps, ResourceRoutes } from '../admin-deps.ts'
import type { AddRoute } from '../admin-route.ts'
import {
  dayParameter,
  instantParameter,
  instantText,
  pageParameters,
  pageShape,
  queryShape,
} from '../paging.ts'
import { RunReport } from './run-shapes.ts'

const tag = 'Executions'
const params = Type.Object({ id: Type.String({ format: 'uuid', description: 'Id of the run' }) })
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
    description: 'A run appears shortly after it has ended.',
    query: queryShape({
      status: Type.Optional(Type.Enum([...executionStatuses], { description: 'Only runs with this status' })),
      type: Type.Optional(
        Type.Enum([...executionTypes], {
          description:
            'Only requests of callers (`DynamicEndpoint`), trials of drafts (`Test`), or reruns (`Rerun`)',
        }),
      ),
      endpointId: Type.Optional(Type.String({ format: 'uuid', description: 'Only runs of this endpoint' })),
      category: Type.Optional(
        Type.Enum([...endpointCategories], {
          description: 'Only runs of endpoints that had this category at the time',
        }),
      ),
      text: Type.Optional(
        Type.String({ description: 'A part of endpoint name, path or error message, in any letter case' }),
      ),
      from: instantParameter('Only runs that began at or after this time'),
      to: instantParameter('Only runs that began before this time'),
      ...pageParameters,
    }),
    answer: { description: 'A page of runs', shape: pageShape(ExecutionSummary) },
    handle: ({ query: { limit, after, from, to, ...filter } }) =>
      history.list(
        { ...filter, from: instantText('/from', from), to: instantText('/to', to) },
        { limit, after },
      ),
  })
  add({
    method: 'GET',
    path: '/executions/:id',
    operationId: 'getExecution',
    role: 'support or author',
    tag,
    summary: 'Get a run',
    description: 'Credentials are not recorded; they are replaced by `[redacted]`.',
    params,
    answer: { description: 'The run', shape: Execution },
    refusals: { 404: unknown },
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
      409: 'The run was a trial of a draft, its body was not recorded in full, or the endpoint is not published now',
      503: 'Too many runs are in progress',
    },
    handle: async ({ params: { id }, body: { version }, user, request }) =>
      runReport(await operations.rerun(id, version, { user, requestId: request.id })),
  })
}
