/** Notifications for the calling operator: those of every reader, and a stream. Also sends and removes notifications. */
import { EventStreams, eventText } from '../../events/event-streams.ts'
import Type from '../../kernel/type.ts'
import type { User } from '../../kernel/user.ts'
import { Notification, notificationTypes } from '../../schema/directory-shapes.ts'
import { nullable } from '../../schema/shapes.ts'
import type { AdminDeps, ResourceRoutes } from '../admin-deps.ts'
import type { AddRoute } from '../admin-route.ts'
import { invalidInput, notFound, tooManyStreams } from '../problems.ts'
import { requestShape } from '../request-shape.ts'
import { readerRoutes } from './reader-routes.ts'

/** The most streams of one thread. Each costs a connection, and memory when its reader is slow. */
const MOST_STREAMS = 100

const params = Type.Object({ id: Type.String({ description: 'Id of the notification' }) })
const refusals = { 404: 'There is no such notification' } as const

const NotificationDraft = requestShape(
  Type.Object({
    title: Type.String({ description: 'One line' }),
    message: Type.String({ description: 'The text of the notification' }),
    type: Type.Enum([...notificationTypes], { default: 'Info' }),
    link: nullable(Type.String({ description: 'The address to open: a path, or http(s)' })),
    audience: nullable(Type.String({ description: '`user:<email>`; null for all users' })),
  }),
)

export const notificationRoutes: ResourceRoutes = (add, deps, scope) => {
  const streams = new EventStreams(deps.store.notifications, (event) =>
    eventText('notification', event.sequence, event),
  )
  // Streams must end before the server waits for open responses, because a stream is one.
  scope.addHook('preClose', async () => streams.close())
  readerRoutes(add, deps.store.notifications, {
    path: '/notifications',
    own: '',
    role: 'support or author',
  })
  streamRoute(add, deps, streams)
  changingRoutes(add, deps)
}

function streamRoute(add: AddRoute, { observe }: AdminDeps, streams: EventStreams<Notification>): void {
  add({
    method: 'GET',
    path: '/notifications/stream',
    operationId: 'streamNotifications',
    role: 'support or author',
    tag: 'Notifications',
    summary: 'Stream the notifications for you and for all users as they are made',
    description:
      'Sends server-sent events named `notification`, with the sequence number as `id` and the notification as JSON. With ' +
      '`Last-Event-ID` the stream continues after that event; without it, only new notifications are sent. The stream ends ' +
      'when the token expires.',
    answer: {
      description: 'An endless stream of events',
      mediaType: 'text/event-stream',
      shape: Type.String(),
    },
    handle: async ({ user, request, reply }) => {
      if (streams.size >= MOST_STREAMS) throw tooManyStreams(MOST_STREAMS)
      const output = await streams.open({
        reader: user.principalId,
        last: sequenceIn(request.raw.headers['last-event-id']),
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

function changingRoutes(add: AddRoute, { store: { notifications } }: AdminDeps): void {
  add({
    method: 'POST',
    path: '/notifications',
    operationId: 'sendNotification',
    role: 'support',
    tag: 'Notifications',
    summary: 'Send a notification to all users or to one user',
    body: NotificationDraft,
    answer: { status: 201, description: 'The notification', shape: Notification },
    handle: ({ body, by }) => notifications.send(body, by),
  })
  add({
    method: 'DELETE',
    path: '/notifications/:id',
    operationId: 'removeNotification',
    role: 'admin',
    tag: 'Notifications',
    summary: 'Remove a notification for all users',
    params,
    answer: { status: 204, description: 'The notification is removed' },
    refusals,
    handle: async ({ params: { id }, by }) => {
      if (!(await notifications.remove(id, by))) throw notFound('notification', id)
    },
  })
}

/** @throws DetailedProblem ADM105 */
export function sequenceIn(header: string | string[] | undefined): number | null {
  if (header === undefined || header === '') return null
  if (typeof header === 'string' && /^\d{1,15}$/.test(header)) return Number(header)
  throw invalidInput('header Last-Event-ID', [
    { path: '', message: 'must be the id of an event of this stream' },
  ])
}

/** Every token has an expiry. Without one, the stream would end at once. */
export const expiryOf = ({ claims }: User): number =>
  1000 * Number(claims.find(({ type }) => type === 'exp')?.value ?? 0)
