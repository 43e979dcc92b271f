/** What can be typed of a webhook, and what is sent of it. */
import { orNull } from '../../parts/form-values.ts'

export type WebhookForm = {
  readonly url: string
  readonly description: string
  readonly lists: readonly string[]
}

type List = 'bookings' | 'invoices' | 'itineraries'

type Members = {
  readonly url: string
  readonly description: string | null
  readonly lists: List[] | null
}

export const emptyForm: WebhookForm = { url: '', description: '', lists: [] }

export const formOf = ({ url, description, lists }: Members): WebhookForm => ({
  url,
  description: description ?? '',
  lists: lists ?? [],
})

/** No list chosen means all of them. */
export const membersOf = ({ url, description, lists }: WebhookForm): Members => ({
  url: url.trim(),
  description: orNull(description),
  lists: lists.length === 0 ? null : (lists.toSorted() as List[]),
})

/** Only what was changed: an address that is sent is checked again, and the rules may be others by now. */
export function changesOf(before: Members, form: WebhookForm): Partial<Members> {
  const old = membersOf(formOf(before))
  const now = membersOf(form)
  return {
    ...(now.url !== old.url && { url: now.url }),
    ...(now.description !== old.description && { description: now.description }),
    ...(String(now.lists) !== String(old.lists) && { lists: now.lists }),
  }
}
