/** What can be typed of an account, and what is sent of it. */

export type AccountForm = { readonly name: string; readonly expiry: string; readonly notes: string }

type Members = { readonly name: string; readonly expiresAt: string | null; readonly notes: string | null }

export const emptyForm: AccountForm = { name: '', expiry: '', notes: '' }

/** The day is that in UTC, as the API reads a date. */
export const formOf = ({ name, expiresAt, notes }: Members): AccountForm => ({
  name,
  expiry: expiresAt?.slice(0, 10) ?? '',
  notes: notes ?? '',
})

export const membersOf = ({ name, expiry, notes }: AccountForm): Members => ({
  name: name.trim(),
  expiresAt: expiry || null,
  notes: notes.trim() || null,
})

/** Only what was changed: an expiry at a time of day would become one at midnight. */
export function changesOf(before: Members, form: AccountForm): Partial<Members> {
  const old = formOf(before)
  const members = membersOf(form)
  return {
    ...(form.name !== old.name && { name: members.name }),
    ...(form.expiry !== old.expiry && { expiresAt: members.expiresAt }),
    ...(form.notes !== old.notes && { notes: members.notes }),
  }
}
