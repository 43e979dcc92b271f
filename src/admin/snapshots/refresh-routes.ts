/** Refreshes: the one that runs, as a state and as a stream, and those that have ended. */
import type { FastifyInstance } from 'fastify'
import type { RefreshChange } from '../../directory/refreshes/refreshes.ts'
import { EventStreams, eventText } from '../../events/event-streams.ts'
import Type from '../../kernel/type.ts'
import { RefreshRecord, RefreshSummary, refreshOutcomes } from '../../schema/refresh-shapes.ts'
import { nullable } from '../../schema/shapes.ts'
import type { AdminDeps, ResourceRoutes } from '../admin-deps.ts'
import type { AddRoute } from '../admin-route.ts'
import { expiryOf, sequenceIn } from '../notifications/notification-routes.ts'
import {
  instantParameter,
  instantText,
  type Listed,
  listOf,
  listParameters,
  listShape,
  queryShape,
} from '../paging.ts'
import { tooManyRefreshStreams } from '../problems.ts'

const tag = 'Snapshots'

/** The most streams of one thread. Each costs a connection. */
const MOST_STREAMS = 100

const RefreshNow = Type.Object({
  current: nullable(RefreshSummary),
  last: nullable(RefreshRecord),
})

const listed: Listed<RefreshSummary> = {
  sorts: {
    startedAt: ({ startedAt }) => [startedAt],
    milliseconds: ({ milliseconds }) => [milliseconds],
    rejects: ({ rejects }) => [rejects],
  },
  byDefault: '-startedAt',
  id: ({ id }) => id,
  texts: ({ id, requestedBy, node, snapshotId, reasons }) => [
    ...[id, requestedBy, node, snapshotId],
    ...reasons.flatMap(({ code, message }) => [code, message]),
  ],
}

export const refreshRoutes: ResourceRoutes = (add, deps, scope) => {
  historyRoutes(add, deps)
  add({
    method: 'GET',
    path: '/refreshes/current',
    operationId: 'getCurrentRefresh',
    role: 'viewer',
    tag,
    summary: 'Get the refresh that runs, with its progress, and the latest one that has ended',
    description:
      'Also shows refreshes of other nodes that share the store, and of `tripfolio ingest` on the same stores. The progress is at most a second old.',
    answer: { description: '`current` is null while none runs, `last` before the first', shape: RefreshNow },
    handle: () => refreshNow(deps),
  })
  streamRoute(add, deps, scope)
}

const refreshNow = async ({ store: { refreshes } }: AdminDeps) => ({
  current: await refreshes.current(),
  last: await refreshes.last(),
})

function historyRoutes(add: AddRoute, { store: { refreshes } }: AdminDeps): void {
  add({
    method: 'GET',
    path: '/refreshes',
    operationId: 'listRefreshes',
    role: 'viewer',
    tag,
    summary: 'List refreshes: who started them, how they ended, how long they took',
    description: 'The last 1,000 are kept, those included that run or were refused.',
    query: queryShape({
      outcome: Type.Optional(
        Type.Enum([...refreshOutcomes], { description: 'Only refreshes with this outcome' }),
      ),
      snapshot: Type.Optional(Type.String({ description: 'Only the refresh that published this snapshot' })),
      from: instantParameter('Only refreshes that began at or after this time'),
      to: instantParameter('Only refreshes that began before this time'),
      ...listParameters(listed, 'who started it, node, snapshot, code or message'),
    }),
    answer: { description: 'A page of refreshes', shape: listShape(RefreshSummary) },
    handle: async ({ query: { outcome, snapshot, from, to, ...page } }) => {
      const found = await refreshes.list({
        outcomes: outcome === undefined ? undefined : [outcome],
        snapshotId: snapshot,
        from: instantText('/from', from),
        to: instantText('/to', to),
      })
      return listOf(found, listed, page)
    },
  })
  add({
    method: 'GET',
    path: '/refreshes/:id',
    operationId: 'getRefreshRecord',
    role: 'support or author',
    tag,
    summary: 'Get a refresh with its rows and rejects by table and rule',
    params: Type.Object({ id: Type.String({ description: 'Id of the refresh' }) }),
    answer: { description: 'The refresh', shape: RefreshRecord },
    refusals: { 404: 'There is no such refresh' },
    handle: ({ params: { id } }) => refreshes.find(id),
  })
}

type StreamedChange = RefreshChange & { readonly sequence: number }

function streamRoute(add: AddRoute, deps: AdminDeps, scope: FastifyInstance): void {
  const { observe, store } = deps
  const source = {
    after: async (_reader: string, sequence: number, limit: number) =>
      (await store.refreshes.after(sequence, limit)).map((change) => ({
        sequence: change.revision,
        ...change,
      })),
    newestSequence: store.refreshes.newestRevision,
  }
  const streams = new EventStreams<StreamedChange>(source, ({ sequence, revision, ...refresh }) =>
    eventText(refresh.outcome === 'running' ? 'progress' : 'ended', sequence, refresh),
  )
  // Streams must end before the server waits for open responses, because a stream is one.
  scope.addHook('preClose', async () => streams.close())
  add({
    method: 'GET',
    path: '/refreshes/current/stream',
    operationId: 'streamRefreshes',
    role: 'viewer',
    tag,
    summary: 'Stream the progress of refreshes, and how they end',
    description:
      'Sends server-sent events with a number as `id` and JSON as data. First comes `snapshot`, which is what `/refreshes/current` answers. ' +
      'Then come `progress`, at most once a second for each refresh that runs, and `ended`, each with the whole refresh as it is in the list. ' +
      'With `Last-Event-ID` each refresh that changed since that event follows the snapshot. The stream ends when the token expires.',
    answer: {
      description: 'An endless stream of events',
      mediaType: 'text/event-stream',
      shape: Type.String(),
    },
    handle: async ({ user, request, reply }) => {
      if (streams.size >= MOST_STREAMS) throw tooManyRefreshStreams(MOST_STREAMS)
      const last = sequenceIn(request.raw.headers['last-event-id'])
      // In this order: what changes in between is sent again.
      const newest = await store.refreshes.newestRevision()
      const now = await refreshNow(deps)
      const output = await streams.open({
        reader: user.principalId,
        last: last ?? newest,
        opening: eventText('snapshot', last === null ? newest : Math.min(last, newest), now),
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
