/** What every reader of notifications may do: list those for itself and for all users, and mark them as read. */
import type { RequiredRole } from '../../auth/operator-roles.ts'
import type { Notifications } from '../../directory/notifications/notifications.ts'
import Type from '../../kernel/type.ts'
import { Notification } from '../../schema/directory-shapes.ts'
import type { AddRoute } from '../admin-route.ts'
import { badCursor, listShape, pageParameters, queryShape } from '../paging.ts'
import { notFound } from '../problems.ts'

type ReaderPaths = {
  /** Of the list. */
  readonly path: string
  /** Tells the operations of this path from those of another one. */
  readonly own: '' | 'Own'
  readonly role: RequiredRole
}

export function readerRoutes(
  add: AddRoute,
  notifications: Notifications,
  { path, own, role }: ReaderPaths,
): void {
  add({
    method: 'GET',
    path,
    operationId: `list${own}Notifications`,
    role,
    tag: 'Notifications',
    summary: 'List the notifications for you and for all users, newest first',
    query: queryShape({
      unreadOnly: Type.Boolean({
        default: false,
        description: 'Only notifications that you have not read',
      }),
      text: Type.Optional(Type.String({ description: 'A part of title or message, in any letter case' })),
      ...pageParameters,
    }),
    answer: { description: 'A page of notifications', shape: listShape(Notification) },
    handle: async ({ query: { limit, after, ...filter }, user }) => {
      const before = after === undefined ? {} : { before: sequenceOf(after) }
      // One item more than fits shows whether this is the last page.
      const found = await notifications.list(user.principalId, { ...filter, ...before, limit: limit + 1 })
      const items = found.slice(0, limit)
      const next = found.length > limit ? String(items.at(-1)?.sequence) : null
      return { items, next, total: await notifications.count(user.principalId, filter) }
    },
  })
  add({
    method: 'POST',
    path: `${path}/:id/read`,
    operationId: `read${own}Notification`,
    role,
    tag: 'Notifications',
    summary: 'Mark a notification as read by you',
    params: Type.Object({ id: Type.String({ description: 'Id of the notification' }) }),
    answer: { status: 204, description: 'The notification is marked as read' },
    refusals: { 404: 'There is no such notification' },
    handle: async ({ params: { id }, user }) => {
      if (!(await notifications.markRead(id, user.principalId))) throw notFound('notification', id)
    },
  })
}

/** @throws DetailedProblem ADM105 */
function sequenceOf(cursor: string): number {
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor)
  throw badCursor()
}
