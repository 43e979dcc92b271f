/** Runs of scripts: looked for, looked at, counted, and run once more. */
import Type from 'typebox'
import { unknownExecution } from '../../automation/operations/problems.ts'
import { runReport } from '../../automation/runs/run-states.ts'
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
import { instantParameter, instantText, pageParameters, pageShape, queryShape } from '../paging.ts'
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
    tag,
    summary: 'Runs, newest first',
    description: 'A run is found a moment after it has ended.',
    query: queryShape({
      status: Type.Optional(Type.Enum([...executionStatuses], { description: 'That ended so' })),
      type: Type.Optional(
        Type.Enum([...executionTypes], {
          description: 'Calls of callers, trials of drafts (`Test`), or reruns',
        }),
      ),
      endpointId: Type.Optional(Type.String({ format: 'uuid', description: 'Of this endpoint only' })),
      category: Type.Optional(
        Type.Enum([...endpointCategories], { description: 'Of endpoints that had this category' }),
      ),
      text: Type.Optional(
        Type.String({ description: 'Within endpoint name, path or error message, without regard to case' }),
      ),
      from: instantParameter('That began at this moment or later'),
      to: instantParameter('That began before this moment'),
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
    tag,
    summary: 'One run in full',
    description: 'Credentials are not recorded: `[redacted]` stands in their place.',
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
    tag,
    summary: 'What a run has noted down',
    params,
    answer: { description: 'Its notepads', shape: pageShape(Notepad) },
    refusals: { 404: unknown },
    handle: async ({ params: { id } }) => {
      const items = await history.notepads.list({ executionId: id })
      // Of a run that is still under way there is nothing else yet.
      if (items.length === 0 && (await history.find(id)) === null) throw unknownExecution(id)
      return { items, next: null }
    },
  })
}

const day = (description: string) =>
  Type.Optional(Type.String({ format: 'date', description: `${description}, such as 2026-01-31, in UTC` }))

function statisticsRoute(add: AddRoute, { history }: AdminDeps): void {
  add({
    method: 'GET',
    path: '/executions/statistics',
    operationId: 'getExecutionStatistics',
    tag,
    summary: 'How endpoints do',
    description:
      'One item for every endpoint that ran. Trials do not count. Kept when the runs themselves are removed.',
    query: queryShape({
      endpointId: Type.Optional(Type.String({ format: 'uuid', description: 'Of this endpoint only' })),
      from: day('First day that counts'),
      to: day('Last day that counts'),
    }),
    answer: { description: 'The figures', shape: pageShape(ExecutionStatistics) },
    handle: async ({ query }) => ({ items: await history.statistics(query), next: null }),
  })
}

function rerunRoute(add: AddRoute, { operations }: AdminDeps): void {
  add({
    method: 'POST',
    path: '/executions/:id/rerun',
    operationId: 'rerunExecution',
    tag,
    summary: 'Run a recorded request once more',
    description:
      'What the script writes stays, as it does when a caller asks. The answer goes to nobody else. What was not recorded is not there: credentials stay `[redacted]`, and whoever called has a name and no roles.',
    params,
    body: Type.Object(
      {
        version: Type.Enum(['original', 'current'], {
          default: 'original',
          description: 'The version that ran, or the one that is published now',
        }),
      },
      { additionalProperties: false },
    ),
    answer: { description: 'How the run went', shape: RunReport },
    refusals: {
      404: `${unknown}, or its endpoint or version is gone`,
      409: 'It ran a draft, its body was not recorded in full, or nothing is published now',
      503: 'Too many runs are under way',
    },
    handle: async ({ params: { id }, body: { version }, user, request }) =>
      runReport(await operations.rerun(id, version, { user, requestId: request.id })),
  })
}
