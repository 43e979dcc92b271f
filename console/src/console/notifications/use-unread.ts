/** The notifications that the caller has not read, kept up to date while the tab is shown. */
import { useDocumentVisibility } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { components } from '../../../generated/api.d.ts'
import { answerOf, dataOf } from '../../api/client.ts'
import { readEventStream } from '../../api/event-stream.ts'
import { serviceAddress } from '../../api/service-address.ts'
import { notificationTexts as texts } from '../../texts/notifications.ts'
import { useSession } from '../session/session.tsx'
import { notificationsKey } from './notification-queries.ts'

type Unread = {
  /** The newest of them. */
  readonly newest: readonly components['schemas']['Notification'][]
  readonly count: number
  readonly markRead: (id: string) => Promise<void>
}

const MOST_SHOWN = 5

export function useUnread(): Unread {
  const { api, credential, may } = useSession()
  const queries = useQueryClient()
  const isVisible = useDocumentVisibility() === 'visible'
  const isFollowing = isVisible && may('streamNotifications')
  const query = useQuery({
    queryKey: [...notificationsKey, 'unread'],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/api/admin/v1/notifications', {
          params: { query: { unreadOnly: true, limit: MOST_SHOWN } },
          signal,
        }),
      ),
  })
  useEffect(() => {
    if (!isFollowing) return
    const leaving = new AbortController()
    const refresh = () => void queries.invalidateQueries({ queryKey: notificationsKey })
    readEventStream(`${serviceAddress()}/api/admin/v1/notifications/stream`, {
      credential,
      signal: leaving.signal,
      onEvent: refresh,
      // What came while there was no stream is in the list.
      onState: (state) => state === 'open' && refresh(),
    }).catch(() => undefined)
    return () => leaving.abort()
  }, [credential, isFollowing, queries])
  return { newest: query.data?.items ?? [], count: query.data?.total ?? 0, markRead: useMarkRead() }
}

/** Says by an alert when it fails: the button has no place for it. */
export function useMarkRead(): Unread['markRead'] {
  const { api } = useSession()
  const queries = useQueryClient()
  return async (id) => {
    await answerOf(api.POST('/api/admin/v1/notifications/{id}/read', { params: { path: { id } } })).catch(
      (cause: Error) =>
        notifications.show({ color: 'red', title: texts.markReadFailed, message: cause.message }),
    )
    await queries.invalidateQueries({ queryKey: notificationsKey })
  }
}
