/** Notifications: stored once for everybody or for one user, marked as read by each reader, numbered in the order of their making. */
import type { Notification, NotificationType } from '../schema/directory-shapes.ts'

export type NotificationDraft = {
  readonly title: string
  readonly message: string
  readonly type: NotificationType
  readonly link: string | null
  /** `user:<email>`; null for everybody. */
  readonly audience: string | null
}

export type Notifications = {
  readonly send: (draft: NotificationDraft, by: string) => Promise<Notification>
  /** For this reader (`user:<email>`) and for everybody, newest first. */
  readonly list: (
    reader: string,
    filter?: { readonly unreadOnly?: boolean; readonly limit?: number; readonly before?: number },
  ) => Promise<readonly Notification[]>
  /** Those after a sequence number, oldest first, for streams. */
  readonly after: (reader: string, sequence: number, limit: number) => Promise<readonly Notification[]>
  /** Of the newest one; 0 when there is none. */
  readonly newestSequence: () => Promise<number>
  /** False when there is none that the reader may see. */
  readonly markRead: (id: string, reader: string) => Promise<boolean>
  readonly remove: (id: string, by: string) => Promise<boolean>
}
