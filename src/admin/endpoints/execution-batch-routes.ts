/** What operators do with many runs at once: repeat them, and delete them. Both show first what they would do. */
import { chooseReruns, isEmptyFilter } from '../../automation/operations/choose-reruns.ts'
import { emptyFilter, unknownRerunJob } from '../../automation/operations/problems.ts'
import type { ExecutionFilter } from '../../directory/history/history.ts'
import Type from '../../kernel/type.ts'
import { ExecutionSummary, RerunItem, RerunJob, rerunVersions } from '../../schema/execution-shapes.ts'
import { nullable } from '../../schema/shapes.ts'
import type { AdminDeps, ResourceRoutes } from '../admin-deps.ts'
import type { AddRoute } from '../admin-route.ts'
import { badCursor, listShape, pageParameters, queryShape } from '../paging.ts'
import { ExecutionConditions, executionConditions, filterOf } from './execution-filter.ts'

const tag = 'Executions'
const strict = { additionalProperties: false } as const
const params = Type.Object({ id: Type.String({ format: 'uuid', description: 'Id of the job' }) })
const refusals = { 404: 'There is no such job' } as const

export const executionBatchRoutes: ResourceRoutes = (add, deps) => {
  rerunRoute(add, deps)
  jobRoutes(add, deps)
  deletionRoute(add, deps)
}

const RerunPlan = Type.Object({
  total: Type.Integer({ description: 'Runs that match the filter' }),
  totalIsExact: Type.Boolean({ description: 'False when there are more than `total`' }),
  chosen: Type.Integer({ description: 'Runs that are repeated: the oldest ones, at most `limit`' }),
  leftOut: Type.Object(
    { trials: Type.Integer(), refused: Type.Integer(), reruns: Type.Integer() },
    {
      description:
        'Runs that match but are not repeated: trials of drafts, refused requests, and reruns unless the filter has `type`',
    },
  ),
  repeatedBefore: Type.Integer({
    description: 'Those of the chosen ones that an earlier job has repeated or is to repeat',
  }),
  items: Type.Array(ExecutionSummary, { description: 'The first 20 of the chosen ones' }),
  job: nullable(RerunJob),
})

/** Chosen runs that the answer shows. */
const MOST_SHOWN = 20

function rerunRoute(add: AddRoute, { history, store }: AdminDeps): void {
  add({
    method: 'POST',
    path: '/executions/rerun',
    operationId: 'rerunExecutions',
    role: 'support or author',
    tag,
    summary: 'Repeat the runs that a filter chooses',
    description:
      'By default nothing runs, and the answer tells what would. With `dryRun: false` a job repeats the runs one after the other, oldest first; look at it with GET /executions/reruns/{id}. The writes of the scripts stay. When the service stops in between, the job goes on after the next start; the run that was under way is not repeated, but marked as `interrupted`.',
    body: Type.Object(
      {
        filter: ExecutionConditions,
        version: Type.Enum([...rerunVersions], {
          default: 'original',
          description: 'The version that ran, or the version that is published when the run is repeated',
        }),
        limit: Type.Integer({
          minimum: 1,
          maximum: 1000,
          default: 100,
          description: 'The most runs to repeat',
        }),
        dryRun: Type.Boolean({ default: true, description: 'Only tell what would run' }),
      },
      strict,
    ),
    answer: { description: 'What runs, or would run', shape: RerunPlan },
    isBeyondStore: true,
    handle: async ({ body: { filter: given, version, limit, dryRun }, by, request }) => {
      const filter = restricting(filterOf(given, '/filter'))
      const { chosen, ...rest } = await chooseReruns(history, filter, limit)
      const count = await history.count(filter)
      const plan = { ...count, chosen: chosen.length, ...rest, items: chosen.slice(0, MOST_SHOWN) }
      if (dryRun || chosen.length === 0) return { ...plan, job: null }
      const id = crypto.randomUUID()
      await store.audit.note({
        actor: by,
        action: 'execution.rerun-batch',
        subjectId: id,
        after: { filter: shown(filter), version, runs: chosen.length },
      })
      await history.reruns.create({
        ...{ id, requestedBy: by, requestId: request.id, filter: shown(filter), version },
        executionIds: chosen.map((run) => run.id),
      })
      return { ...plan, job: await history.reruns.find(id) }
    },
  })
}

function jobRoutes(add: AddRoute, { history: { reruns }, store }: AdminDeps): void {
  add({
    method: 'GET',
    path: '/executions/reruns',
    operationId: 'listRerunJobs',
    role: 'support or author',
    tag,
    summary: 'List jobs that repeat runs, newest first',
    query: queryShape(pageParameters),
    answer: { description: 'A page of jobs', shape: listShape(RerunJob) },
    handle: async ({ query: { limit, after } }) => {
      if (after !== undefined && !/^[1-9]\d{0,14}$/.test(after)) throw badCursor()
      const { next, ...page } = await reruns.list({
        limit,
        after: after === undefined ? null : Number(after),
      })
      return { ...page, next: next === null ? null : String(next) }
    },
  })
  const RerunJobWithItems = Type.Object({ ...RerunJob.properties, items: Type.Array(RerunItem) })
  const shown = async (id: string) => {
    const job = await reruns.find(id)
    if (job === null) throw unknownRerunJob(id)
    return { ...job, items: await reruns.items(id) }
  }
  add({
    method: 'GET',
    path: '/executions/reruns/:id',
    operationId: 'getRerunJob',
    role: 'support or author',
    tag,
    summary: 'Get a job that repeats runs',
    params,
    answer: { description: 'The job with all its runs', shape: RerunJobWithItems },
    refusals,
    handle: ({ params: { id } }) => shown(id),
  })
  add({
    method: 'POST',
    path: '/executions/reruns/:id/stop',
    operationId: 'stopRerunJob',
    role: 'support or author',
    tag,
    summary: 'Stop a job that repeats runs',
    description: 'Runs that wait will not begin. The run that is under way ends as usual.',
    params,
    answer: { description: 'The job', shape: RerunJobWithItems },
    refusals,
    isBeyondStore: true,
    handle: async ({ params: { id }, by }) => {
      const job = await shown(id)
      if (!job.isOpen) return job
      await store.audit.note({ actor: by, action: 'execution.rerun-stop', subjectId: id, after: null })
      await reruns.stop(id)
      return shown(id)
    },
  })
}

/** Runs that one request deletes: a second of work. */
const MOST_DELETED = 10_000

function deletionRoute(add: AddRoute, { history, store }: AdminDeps): void {
  add({
    method: 'DELETE',
    path: '/executions',
    operationId: 'deleteExecutions',
    role: 'admin',
    tag,
    summary: 'Delete the runs that a filter chooses',
    description:
      'By default nothing is deleted, and the answer tells how many runs would be. With `dryRun=false` the oldest 10,000 are deleted with their notepads; while `more` is true, send the request again. Figures stay: they hold nothing of a caller. The audit trail keeps who deleted what, with the filter.',
    query: queryShape({
      ...executionConditions,
      dryRun: Type.Boolean({ default: true, description: 'Only count the runs' }),
    }),
    answer: {
      description: 'How many runs match, and how many were deleted',
      shape: Type.Object({
        dryRun: Type.Boolean(),
        total: Type.Integer({ description: 'Runs that matched before' }),
        totalIsExact: Type.Boolean({ description: 'False when there were more than `total`' }),
        deleted: Type.Integer(),
        more: Type.Boolean({ description: 'Whether more runs may match' }),
      }),
    },
    handle: async ({ query: { dryRun, ...given }, by }) => {
      const filter = restricting(filterOf(given))
      const count = await history.count(filter)
      if (dryRun) return { dryRun, ...count, deleted: 0, more: count.total > 0 || !count.totalIsExact }
      await store.audit.note({
        actor: by,
        action: 'execution.delete',
        subjectId: 'executions',
        after: { filter: shown(filter), ...count, atMost: MOST_DELETED },
      })
      const deleted = await history.delete(filter, MOST_DELETED)
      return { dryRun, ...count, deleted, more: deleted === MOST_DELETED }
    },
  })
}

function restricting(filter: ExecutionFilter): ExecutionFilter {
  if (isEmptyFilter(filter)) throw emptyFilter()
  return filter
}

/** Without the conditions that were not given. */
const shown = (filter: ExecutionFilter): Record<string, unknown> =>
  Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined))
