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
    'Notifies everybody: the type is Info, Success, Warning or Error, the link a path or an http(s) address. Answers false when that is refused. There is one tenant, so tenantScoped changes nothing.',
  waits: (context, title, message, type, link) =>
    send(context, 'BroadcastNotification', null, { title, message, type, link }),
})

const sendNotification = define({
  name: 'SendNotification',
  category,
  parameters: [any('userId'), any('title'), any('message'), any('type'), optional(any('link'))],
  returns: 'boolean',
  about:
    'Notifies one user, given as user:<email> or by the email address alone; answers false when that is refused.',
  waits(context, userId, title, message, type, link) {
    const user = plainText(userId) ?? ''
    const audience = /^user:/i.test(user) ? user : `user:${user}`
    return send(context, 'SendNotification', audience, { title, message, type, link })
  },
})

export const notificationFunctions: readonly NativeFunction[] = [broadcastNotification, sendNotification]

/** Of one run. */
const MOST_NOTIFICATIONS = 100

/** Of one: more than is stored, and little enough to be looked through for secrets at once. */
const MOST_UNITS = 50_000

type Told = { readonly [K in 'title' | 'message' | 'type' | 'link']: Value | undefined }

async function send(
  context: NativeContext,
  name: string,
  audience: string | null,
  { title, message, type, link }: Told,
): Promise<boolean> {
  const known = typeOf(type)
  if (known === null) {
    return refused(context, name, false, `the type has to be one of ${notificationTypes.join(', ')}`)
  }
  const { notifications, actor, redaction, written } = hostOf(context)
  if (++written.notifications > MOST_NOTIFICATIONS) {
    return refused(context, name, false, `a run may send ${MOST_NOTIFICATIONS} notifications`)
  }
  const texts = [title, message, link].map((value) => plainText(value) ?? '')
  const units = texts.reduce((sum, text) => sum + text.length, 0)
  if (units > MOST_UNITS) return refused(context, name, false, `it may have ${MOST_UNITS} characters at most`)
  // Everybody reads it, and it is stored: the values of secrets have no place there.
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

/** In any case; `Information` is what logs call `Info`. */
function typeOf(type: Value | undefined): NotificationType | null {
  const wanted = fold(plainText(type) ?? '')
  if (wanted === 'information') return 'Info'
  return notificationTypes.find((known) => fold(known) === wanted) ?? null
}
