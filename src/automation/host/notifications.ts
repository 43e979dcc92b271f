/** Host functions that notify people (specification 4.3). */
import { fold } from '../../kernel/text.ts'
import { type NotificationType, notificationTypes } from '../../schema/directory-shapes.ts'
import {
  any,
  define,
  type NativeContext,
  type NativeFunction,
  optional,
  type Value,
} from '../../script/values.ts'
import { refused, unlessRefused } from './failures.ts'
import { plainText } from './host-arguments.ts'
import { hostOf } from './run-host.ts'

const category = 'Notifications'

const broadcastNotification = define({
  name: 'BroadcastNotification',
  category,
  parameters: [
    any('title'),
    any('message'),
    any('type'),
    optional(any('link')),
    optional(any('tenantScoped')),
  ],
  returns: 'boolean',
  about:
    'Notifies all users. The type is Info, Success, Warning or Error; the link is a path or an http(s) address. Returns false when an argument is refused. There is one tenant, so tenantScoped changes nothing.',
  waits: (context, title, message, type, link) =>
    send(context, 'BroadcastNotification', null, { title, message, type, link }),
})

const sendNotification = define({
  name: 'SendNotification',
  category,
  parameters: [any('userId'), any('title'), any('message'), any('type'), optional(any('link'))],
  returns: 'boolean',
  about:
    'Notifies one user, given by principalId, such as user:ann@example.com, or by what comes after user: alone. Returns false when an argument is refused.',
  waits(context, userId, title, message, type, link) {
    const user = plainText(userId) ?? ''
    const audience = /^user:/i.test(user) ? user : `user:${user}`
    return send(context, 'SendNotification', audience, { title, message, type, link })
  },
})

export const notificationFunctions: readonly NativeFunction[] = [broadcastNotification, sendNotification]

/** The most notifications of one run. */
const MOST_NOTIFICATIONS = 100

/** The longest notification, in UTF-16 code units: longer than the store accepts, and short enough to redact in one go. */
const MOST_UNITS = 50_000

type Content = { readonly [K in 'title' | 'message' | 'type' | 'link']: Value | undefined }

async function send(
  context: NativeContext,
  name: string,
  audience: string | null,
  { title, message, type, link }: Content,
): Promise<boolean> {
  const known = typeOf(type)
  if (known === null) {
    return refused(context, name, false, `the type must be one of ${notificationTypes.join(', ')}`)
  }
  const { notifications, actor, redaction, written } = hostOf(context)
  if (++written.notifications > MOST_NOTIFICATIONS) {
    return refused(context, name, false, `a run may send at most ${MOST_NOTIFICATIONS} notifications`)
  }
  const texts = [title, message, link].map((value) => plainText(value) ?? '')
  const units = texts.reduce((sum, text) => sum + text.length, 0)
  if (units > MOST_UNITS) {
    return refused(context, name, false, `a notification may have at most ${MOST_UNITS} characters`)
  }
  // Notifications are stored and shown to people, so they must not contain values of secrets.
  const clean = (value: Value | undefined) => redaction.text(plainText(value) ?? '')
  const draft = {
    title: clean(title),
    message: clean(message),
    type: known,
    link: plainText(link) === null ? null : clean(link),
    audience,
  }
  return unlessRefused(context, name, false, async () => {
    await notifications.send(draft, actor)
    return true
  })
}

/** Letter case does not matter. `Information`, as levels of the log are called, is accepted for `Info`. */
function typeOf(type: Value | undefined): NotificationType | null {
  const wanted = fold(plainText(type) ?? '')
  if (wanted === 'information') return 'Info'
  return notificationTypes.find((known) => fold(known) === wanted) ?? null
}
