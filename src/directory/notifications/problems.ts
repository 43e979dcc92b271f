/** What can be wrong with a notification that is to be sent (DIR6xx). */
import { Problem } from '../../kernel/problem.ts'

export const badNotificationText = (what: string, longest: number, found: number) =>
  new Problem('DIR630', `Expected a ${what} of 1 to ${longest} characters, found ${found}`, {
    hint: 'Put what is longer behind the link.',
  })

export const badNotificationType = (types: readonly string[], found: string) =>
  new Problem(
    'DIR631',
    `Expected a type of notification, one of ${types.join(', ')}, found '${found.slice(0, 80)}'`,
  )

export const badAudience = (found: string) =>
  new Problem(
    'DIR632',
    `Expected a reader as user:<email>, or null for everybody, found '${found.slice(0, 80)}'`,
  )

export const badLink = (found: string) =>
  new Problem(
    'DIR633',
    `Expected a link that begins with https://, http:// or a single /, found '${found.slice(0, 80)}'`,
    { hint: 'Links run nothing: other schemes are not taken.' },
  )
