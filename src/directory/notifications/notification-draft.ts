/** Checks notifications that scripts and operators send: their texts, audience and link. A link cannot run code. */
import { codePointLength, fold } from '../../kernel/text.ts'
import type { NotificationType } from '../../schema/directory-shapes.ts'
import { badAudience, badLink, badNotificationText, badNotificationType } from './problems.ts'

export type NotificationDraft = {
  readonly title: string
  readonly message: string
  readonly type: NotificationType
  readonly link: string | null
  /** `user:<identity>`; null for all readers. */
  readonly audience: string | null
}

const LONGEST = { title: 200, message: 10_000 } as const
const LONGEST_LINK = 2000
const AUDIENCE = /^user:\S+$/
/** `//host` would leave the site that a single slash stays on, as would a backslash, which browsers take for a slash. */
const LINK = /^(?:https?:\/\/|\/(?![/\\]))[^\s\p{Cc}]*$/iu

/** Texts without blanks at their ends, the audience as its key. @throws Problem DIR630 to DIR633 */
export async function checkNotification(draft: NotificationDraft): Promise<NotificationDraft> {
  // Imported here, so that commands on accounts do not load the shapes.
  const { notificationTypes } = await import('../../schema/directory-shapes.ts')
  const { type } = draft
  if (!notificationTypes.includes(type)) throw badNotificationType(notificationTypes, type)
  return {
    title: checkText('title', draft.title),
    message: checkText('message', draft.message),
    type,
    link: checkLink(draft.link),
    audience: checkAudience(draft.audience),
  }
}

function checkText(what: keyof typeof LONGEST, text: string): string {
  const trimmed = text.trim().toWellFormed()
  const length = codePointLength(trimmed)
  if (length < 1 || length > LONGEST[what]) throw badNotificationText(what, LONGEST[what], length)
  return trimmed
}

function checkLink(link: string | null): string | null {
  const trimmed = link?.trim() ?? ''
  if (trimmed === '') return null
  if (trimmed.length > LONGEST_LINK || !LINK.test(trimmed)) throw badLink(trimmed)
  return trimmed
}

function checkAudience(audience: string | null): string | null {
  if (audience === null) return null
  const key = readerKey(audience.trim())
  if (key.length > 260 || !AUDIENCE.test(key)) throw badAudience(audience)
  return key
}

/** An address is one person in any letter case. Of other identities, two that differ in letter case are two persons. */
export const readerKey = (principalId: string): string =>
  principalId.includes('@') ? fold(principalId) : principalId.replace(/^user:/i, 'user:')
