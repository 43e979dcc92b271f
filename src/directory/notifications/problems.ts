/** Refusals of notifications that cannot be sent (DIR6xx). */
import { Problem } from '../../kernel/problem.ts'

export const badNotificationText = (what: string, longest: number, found: number) =>
  new Problem('DIR630', `Expected a ${what} of 1 to ${longest} characters, found ${found}`, {
    hint: 'Shorten the text, or put it on a page and link to that.',
  })

export const badNotificationType = (types: readonly string[], found: string) =>
  new Problem(
    'DIR631',
    `Expected a notification type, one of ${types.join(', ')}, found '${found.slice(0, 80)}'`,
  )

export const badAudience = (found: string) =>
  new Problem(
    'DIR632',
    `Expected a reader as user:<email>, or null for all readers, found '${found.slice(0, 80)}'`,
  )

export const badLink = (found: string) =>
  new Problem(
    'DIR633',
    `Expected a link that begins with https://, http:// or a single /, found '${found.slice(0, 80)}'`,
    { hint: 'Other schemes are refused, because a link must not run code.' },
  )
