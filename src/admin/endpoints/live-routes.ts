/** Runs that wait or run at the moment: their list, a stream of what happens to them, and how to cancel them. */
import { noLiveRun } from '../../automation/problems.ts'
import { fold } from '../../kernel/text.ts'
import Type from '../../kernel/type.ts'
import type { User } from '../../kernel/user.ts'
import { LiveRun, liveStates } from '../../schema/execution-shapes.ts'
import type { AdminDeps, ResourceRoutes } from '../admin-deps.ts'
import type { AddRoute } from '../admin-route.ts'
import { type Listed, listOf, listParameters, listShape, queryShape } from '../paging.ts'
import { tooManyLiveStreams } from '../problems.ts'
import { endpointId } from './endpoint-shapes.ts'
import { LiveStreams } from './live-streams.ts'

const tag = 'Executions'

/** The most streams of one thread. Each costs a connection. */
const MOST_STREAMS = 100

const params = Type.Object({ id: Type.String({ format: 'uuid', description: 'Id of the run' }) })

const ofEndpoint = {
  endpointId: Type.Optional(Type.String({ format: 'uuid', description: 'Only runs of this endpoint' })),
}

const Cancelled = Type.Object(
  { cancelled: Type.Array(Type.String({ format: 'uuid' }), { description: 'The ids of the runs' }) },
  { description: 'The runs that end soon; each leaves a row with the status `Cancelled`' },
)

const listed: Listed<LiveRun> = {
  sorts: {
    arrivedAt: ({ arrivedAt }) => [arrivedAt],
    endpointName: ({ endpointName, arrivedAt }) => [fold(endpointName), arrivedAt],
  },
  id: ({ id }) => id,
  texts: ({ endpointName, path, principalId }) => [endpointName, path, principalId],
}

export const liveRoutes: ResourceRoutes = (add, deps, scope) => {
  const streams = new LiveStreams(deps.live)
  // Streams must end before the server waits for open responses, because a stream is one.
  scope.addHook('preClose', async () => streams.close())
  listRoute(add, deps)
  streamRoute(add, deps, streams)
  cancelRoutes(add, deps)
}

function listRoute(add: AddRoute, { live }: AdminDeps): void {
  add({
    method: 'GET',
    path: '/executions/live',
    operationId: 'listLiveExecutions',
    role: 'viewer',
    tag,
    summary: 'List the runs that wait or run, by default oldest first',
    description:
      'Covers all nodes that share a store. Asking another node takes up to two seconds; `silentNodes` names those that did not answer.',
    query: queryShape({
      ...ofEndpoint,
      state: Type.Optional(Type.Enum([...liveStates], { description: 'Only runs in this state' })),
      ...listParameters(listed, 'the name of the endpoint, the path or the caller'),
    }),
    answer: {
      description: 'A page of runs',
      shape: Type.Object({
        ...listShape(LiveRun).properties,
        silentNodes: Type.Array(Type.String(), {
          description: 'Nodes that did not answer: their runs are missing',
        }),
      }),
    },
    handle: async ({ query: { endpointId, state, ...query } }) => {
      const { runs, silent } = await live.list()
      const chosen = runs.filter(
        (run) => run.endpointId === (endpointId ?? run.endpointId) && run.state === (state ?? run.state),
      )
      return { ...listOf(chosen, listed, query), silentNodes: silent }
    },
  })
}

function streamRoute(add: AddRoute, { observe }: AdminDeps, streams: LiveStreams): void {
  add({
    method: 'GET',
    path: '/executions/live/stream',
    operationId: 'streamLiveExecutions',
    role: 'support or author',
    tag,
    summary: 'Stream what happens to runs as it happens',
    description:
      'Sends server-sent events about the runs of the node that answers. The first is `list`: `node` and its `runs`. Then `queued` (the run), `started`, ' +
      '`log` (a line of the log, without the credentials that the run has read so far) and `ended` (`status`, `responseStatus`, `code`), each with the `id` of the ' +
      'run. A reader that is too slow gets `missed` with the number of events, and the list again. The stream ends when the token expires.',
    query: queryShape(ofEndpoint),
    answer: {
      description: 'An endless stream of events',
      mediaType: 'text/event-stream',
      shape: Type.String(),
    },
    refusals: { 503: `All ${MOST_STREAMS} streams are in use, or tokens cannot be checked` },
    leaves: {
      action: 'execution.watch',
      entry: ({ query: { endpointId } }) => ({ subjectId: endpointId ?? 'executions', after: null }),
    },
    handle: async ({ query: { endpointId }, user, request, reply }) => {
      if (streams.size >= MOST_STREAMS) throw tooManyLiveStreams(MOST_STREAMS)
      const output = streams.open({
        endpointId,
        expiresAt: expiryOf(user),
        response: reply.raw,
        onFailure: (cause) => observe({ kind: 'request-failed', requestId: request.id, cause }),
      })
      // Proxies must not buffer events.
      reply.headers({ 'cache-control': 'no-store', 'x-accel-buffering': 'no' })
      return reply.type('text/event-stream').send(output)
    },
  })
}

function cancelRoutes(add: AddRoute, { live, store: { audit, endpoints } }: AdminDeps): void {
  add({
    method: 'POST',
    path: '/executions/live/:id/cancel',
    operationId: 'cancelExecution',
    role: 'support or author',
    tag,
    summary: 'Cancel a run',
    description:
      'The run ends within a moment, its caller gets 503, and its row names you. What its script has written before stays.',
    params,
    answer: { status: 202, description: 'The run ends soon', shape: Cancelled },
    refusals: { 404: 'No run with this id waits or runs; it may have ended' },
    isBeyondStore: true,
    handle: async ({ params: { id }, by }) => {
      const cancelled = await live.cancel({ id }, { kind: 'operator', by })
      if (cancelled.length === 0) throw noLiveRun(id)
      await audit.note({ actor: by, action: 'execution.cancel', subjectId: id, after: null })
      return { cancelled }
    },
  })
  add({
    method: 'POST',
    path: '/endpoints/:id/cancel-runs',
    operationId: 'cancelEndpointRuns',
    role: 'support or author',
    tag,
    summary: 'Cancel all runs of an endpoint',
    description: 'Cancels those that wait or run at the moment. Later calls run as usual.',
    params: endpointId,
    answer: { status: 202, description: 'The runs end soon; there may be none', shape: Cancelled },
    refusals: { 404: 'There is no such endpoint' },
    isBeyondStore: true,
    handle: async ({ params, by }) => {
      const { id } = await endpoints.find(params.id)
      const cancelled = await live.cancel({ endpointId: id }, { kind: 'operator', by })
      const after = { executionIds: cancelled }
      await audit.note({ actor: by, action: 'endpoint.cancel-runs', subjectId: id, after })
      return { cancelled }
    },
  })
}

/** Every token has an expiry. Without one, the stream would end at once. */
const expiryOf = ({ claims }: User): number =>
  1000 * Number(claims.find(({ type }) => type === 'exp')?.value ?? 0)
