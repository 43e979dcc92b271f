/** The inputs that a new account and a change of one have in common. */
import { Textarea, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import { accountTexts as texts } from '../../texts/accounts.ts'
import type { AccountForm } from './account-form.ts'

type Props = {
  readonly form: AccountForm
  /** Whether the first of them has the focus when the dialog opens. */
  readonly isFirst: boolean
  readonly onChange: (form: AccountForm) => void
}

export const AccountFields = ({ form, isFirst, onChange }: Props): ReactNode => (
  <>
    <TextInput
      label={texts.name}
      description={texts.nameHint}
      value={form.name}
      onChange={(event) => onChange({ ...form, name: event.currentTarget.value })}
      maxLength={100}
      required
      {...(isFirst && { 'data-autofocus': true })}
    />
    <TextInput
      type="date"
      label={texts.expires}
      description={texts.expiryHint}
      value={form.expiry}
      onChange={(event) => onChange({ ...form, expiry: event.currentTarget.value })}
    />
    <Textarea
      label={texts.notes}
      description={texts.notesHint}
      value={form.notes}
      onChange={(event) => onChange({ ...form, notes: event.currentTarget.value })}
      maxLength={1000}
      rows={3}
    />
  </>
)
