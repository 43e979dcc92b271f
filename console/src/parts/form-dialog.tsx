/** A dialog with a form: its fields are rows of a table, and what the API refuses stands below them. */
import { Checkbox, MultiSelect, PasswordInput, Select, TagsInput, Textarea, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { ConfirmDialog } from './confirm-dialog.tsx'

type FormValue = string | boolean | readonly string[]
export type FormValues = Readonly<Record<string, FormValue>>

export type Choice = { readonly value: string; readonly label: string }

export type FormField = {
  readonly name: string
  readonly label: string
  readonly hint?: string
  readonly isRequired?: boolean
} & (
  | { readonly kind: 'text' | 'area' | 'secret' | 'check' | 'tags' }
  | {
      readonly kind: 'choice' | 'choices'
      readonly choices: readonly Choice[]
      readonly onSearch?: (text: string) => void
    }
)

type Props<Values extends FormValues> = {
  readonly title: string
  readonly action: string
  readonly fields: readonly FormField[]
  readonly initial: Values
  /** Explains what the fields cannot. */
  readonly children?: ReactNode
  /** False where the caller shows something else in its place. */
  readonly closesWhenDone?: boolean
  readonly onSave: (values: Values) => Promise<void>
  readonly onClose: () => void
}

export function FormDialog<Values extends FormValues>(props: Props<Values>): ReactNode {
  const { title, action, fields, initial, children, closesWhenDone = true, onSave, onClose } = props
  const [values, setValues] = useState(initial)
  // A mark at every field would say nothing.
  const marksRequired = fields.some(({ isRequired }) => !isRequired)
  const isComplete = fields.every(({ name, isRequired }) => !isRequired || !isBlank(values[name]))
  return (
    <ConfirmDialog
      isOpen
      title={title}
      action={action}
      isReady={isComplete}
      closesWhenDone={closesWhenDone}
      onConfirm={() => onSave(values)}
      onClose={onClose}
    >
      {children}
      {fields.map((field, index) => (
        <Field
          key={field.name}
          field={field}
          isFirst={index === 0}
          isMarked={marksRequired && field.isRequired === true}
          value={values[field.name]}
          onChange={(value) => setValues((before) => ({ ...before, [field.name]: value }))}
        />
      ))}
    </ConfirmDialog>
  )
}

const isBlank = (value: FormValue | undefined): boolean =>
  value === undefined ||
  (typeof value === 'string' ? value.trim() === '' : Array.isArray(value) && value.length === 0)

type FieldProps = {
  readonly field: FormField
  readonly isFirst: boolean
  /** With the mark of what may not be left empty. */
  readonly isMarked: boolean
  readonly value: FormValue | undefined
  readonly onChange: (value: FormValue) => void
}

function Field({ field, isFirst, isMarked, value, onChange }: FieldProps): ReactNode {
  const { label, hint, isRequired = false } = field
  const shared = {
    label,
    required: isRequired,
    withAsterisk: isMarked,
    ...(hint !== undefined && { description: hint }),
    ...(isFirst && { 'data-autofocus': true }),
  }
  const text = typeof value === 'string' ? value : ''
  const list = Array.isArray(value) ? [...(value as readonly string[])] : []
  switch (field.kind) {
    case 'text':
      return <TextInput {...shared} value={text} onChange={(event) => onChange(event.currentTarget.value)} />
    case 'area':
      return (
        <Textarea
          {...shared}
          autosize
          minRows={2}
          value={text}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      )
    case 'secret':
      return (
        <PasswordInput
          {...shared}
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      )
    case 'check':
      return (
        <Checkbox
          label={label}
          {...(hint !== undefined && { description: hint })}
          checked={value === true}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
      )
    case 'tags':
      return <TagsInput {...shared} openOnFocus={false} value={list} onChange={onChange} />
    case 'choice':
      return (
        <Select
          {...shared}
          data={[...field.choices]}
          value={text === '' ? null : text}
          clearable={!isRequired}
          openOnFocus={false}
          searchable={field.choices.length > 8 || field.onSearch !== undefined}
          {...(field.onSearch && { onSearchChange: field.onSearch })}
          onChange={(chosen) => onChange(chosen ?? '')}
        />
      )
    case 'choices':
      return (
        <MultiSelect
          {...shared}
          data={[...field.choices]}
          value={list}
          openOnFocus={false}
          searchable
          {...(field.onSearch && { onSearchChange: field.onSearch })}
          onChange={onChange}
        />
      )
  }
}
