/** Notifications: stored once for all readers or for one, marked as read by each reader, numbered in the order of creation. */
import type { Kysely, SelectQueryBuilder } from 'kysely'
import { fold } from '../../kernel/text.ts'
import type { Notification, NotificationType } from '../../schema/directory-shapes.ts'
import { recordChange } from '../audit/audit.ts'
import type { ControlTables, NotificationRow } from '../control-tables.ts'
import { raiseRevision } from '../endpoints/revisions.ts'
import { checkNotification, type NotificationDraft, readerKey } from './notification-draft.ts'

export type { NotificationDraft }

type NotificationFilter = {
  readonly unreadOnly?: boolean | undefined
  /** A part of title or message, in any letter case. */
  readonly text?: string | undefined
}

/** Names of readers match without regard to case. */
export type Notifications = {
  readonly send: (draft: NotificationDraft, by: string) => Promise<Notification>
  /** Notifications for this reader (`user:<email>`) and for all readers, newest first; 50 by default. */
  readonly list: (
    reader: string,
    filter?: NotificationFilter & { readonly limit?: number; readonly before?: number },
  ) => Promise<readonly Notification[]>
  /** How many a list without a limit would have. */
  readonly count: (reader: string, filter?: NotificationFilter) => Promise<number>
  /** Notifications after a sequence number, oldest first, for streams. */
  readonly after: (reader: string, sequence: number, limit: number) => Promise<readonly Notification[]>
  /** Sequence number of the newest notification; 0 when there is none. */
  readonly newestSequence: () => Promise<number>
  /** False when it does not exist or the reader may not see it. */
  readonly markRead: (id: string, reader: string) => Promise<boolean>
  readonly remove: (id: string, by: string) => Promise<boolean>
}

const USUAL_LIMIT = 50
const ROWS_PER_STEP = 501

export const createNotifications = (db: Kysely<ControlTables>): Notifications => ({
  send: (draft, by) => send(db, draft, by),
  list: async (reader, { limit = USUAL_LIMIT, before, ...filter } = {}) => {
    const found: Notification[] = []
    for await (const notification of newestFirst(db, reader, filter, before, limit)) {
      if (found.length === limit) break
      found.push(notification)
    }
    return found
  },
  count: async (reader, { text = '', unreadOnly = false } = {}) => {
    let count = 0
    if (text !== '') {
      for await (const _ of newestFirst(db, reader, { text, unreadOnly })) count++
      return count
    }
    let seen = visibleTo(db, reader)
    if (unreadOnly) seen = seen.where('read_at', 'is', null)
    const counted = seen.clearSelect().select((of) => of.fn.countAll<number>().as('count'))
    return Number((await counted.executeTakeFirstOrThrow()).count)
  },
  after: async (reader, sequence, limit) => {
    const later = visibleTo(db, reader).where('sequence', '>', sequence)
    return (await later.orderBy('sequence').limit(limit).execute()).map(notificationOf)
  },
  newestSequence: async () => {
    const newest = db.selectFrom('notifications').select((of) => of.fn.max('sequence').as('sequence'))
    return (await newest.executeTakeFirst())?.sequence ?? 0
  },
  markRead: (id, reader) => markRead(db, id.toLowerCase(), reader),
  remove: (id, by) => remove(db, id.toLowerCase(), by),
})

type Seen = NotificationRow & { readonly read_at: string | null }
type SeenQuery = SelectQueryBuilder<{ readonly seen: Seen }, 'seen', Seen>

/** Each row holds when this reader has read the notification. */
const visibleTo = (db: Kysely<ControlTables>, reader: string): SeenQuery =>
  db
    .selectFrom((from) =>
      from
        .selectFrom('notifications')
        .leftJoin('notification_reads', (join) =>
          join.onRef('notification_id', '=', 'notifications.id').on('reader', '=', readerKey(reader)),
        )
        .selectAll('notifications')
        .select('read_at')
        .where((is) => is.or([is('audience', 'is', null), is('audience', '=', readerKey(reader))]))
        .as('seen'),
    )
    .selectAll()

/** Searched here, because the databases fold ASCII only, in steps that bound the memory. */
async function* newestFirst(
  db: Kysely<ControlTables>,
  reader: string,
  { unreadOnly = false, text = '' }: NotificationFilter,
  before = Number.MAX_SAFE_INTEGER,
  limit = ROWS_PER_STEP,
): AsyncGenerator<Notification> {
  const wanted = fold(text)
  const step = wanted === '' ? Math.min(limit, ROWS_PER_STEP) : ROWS_PER_STEP
  // Databases whose columns have types refuse greater numbers.
  for (let end = Math.min(before, Number.MAX_SAFE_INTEGER); ; ) {
    let seen = visibleTo(db, reader).where('sequence', '<', end)
    if (unreadOnly) seen = seen.where('read_at', 'is', null)
    const rows = await seen.orderBy('sequence', 'desc').limit(step).execute()
    for (const row of rows) {
      if (fold(`${row.title}\0${row.message}`).includes(wanted)) yield notificationOf(row)
    }
    const last = rows.at(-1)
    if (last === undefined || rows.length < step) return
    end = last.sequence
  }
}

/** Takes the number under the write lock, so that numbers grow in the order in which readers see them. */
async function send(db: Kysely<ControlTables>, draft: NotificationDraft, by: string): Promise<Notification> {
  const checked = await checkNotification(draft)
  return db.transaction().execute((transaction) => addNotification(transaction, checked, by))
}

/** @param draft one that is checked, or whose parts are known */
export async function addNotification(
  transaction: Kysely<ControlTables>,
  { audience, title, message, type, link }: NotificationDraft,
  by: string,
): Promise<Notification> {
  const id = crypto.randomUUID()
  const at = new Date().toISOString()
  const sequence = await raiseRevision(transaction, 'notifications')
  const row = { id, sequence, audience, title, message, type, link, created_at: at, created_by: by }
  await transaction.insertInto('notifications').values(row).execute()
  const entry = { at, actor: by, action: 'notification.send', subjectId: id }
  await recordChange(transaction, { ...entry, before: null, after: toldOf(row) })
  return notificationOf({ ...row, read_at: null })
}

/** Keeps the first time of reading. */
function markRead(db: Kysely<ControlTables>, id: string, reader: string): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    const seen = await visibleTo(transaction, reader).where('id', '=', id).executeTakeFirst()
    if (seen === undefined) return false
    if (seen.read_at !== null) return true
    await transaction
      .insertInto('notification_reads')
      .values({ notification_id: id, reader: readerKey(reader), read_at: new Date().toISOString() })
      .execute()
    return true
  })
}

function remove(db: Kysely<ControlTables>, id: string, by: string): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    const gone = transaction.deleteFrom('notifications').where('id', '=', id).returningAll()
    const removed = await gone.executeTakeFirst()
    if (removed === undefined) return false
    const at = new Date().toISOString()
    const entry = { at, actor: by, action: 'notification.delete', subjectId: id }
    await recordChange(transaction, { ...entry, before: toldOf(removed), after: null })
    return true
  })
}

/** The members for the audit trail. The message is left out: only its readers may see it. */
const toldOf = ({ audience, title, type }: Pick<NotificationRow, 'audience' | 'title' | 'type'>) => ({
  audience,
  title,
  type,
})

const notificationOf = (row: Seen): Notification => ({
  id: row.id,
  sequence: row.sequence,
  audience: row.audience,
  title: row.title,
  message: row.message,
  type: row.type as NotificationType,
  link: row.link,
  createdAt: row.created_at,
  createdBy: row.created_by,
  readAt: row.read_at,
})
