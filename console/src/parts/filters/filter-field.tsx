/** A filter of a list that takes effect with Enter or when it is left: a half-typed date is no date. */
import { TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'

type Props = {
  readonly label: string
  readonly example: string
  readonly value: string | undefined
  readonly onChange: (value: string) => void
}

export function FilterField({ label, example, value = '', onChange }: Props): ReactNode {
  const [typed, setTyped] = useState(value)
  const [known, setKnown] = useState(value)
  // The address was changed, here or from elsewhere, such as by Back.
  if (value !== known) {
    setKnown(value)
    setTyped(value)
  }
  const apply = () => {
    if (typed.trim() !== value) onChange(typed.trim())
  }
  return (
    <TextInput
      size="xs"
      label={label}
      placeholder={example}
      value={typed}
      onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      onBlur={apply}
      onKeyDown={({ key }) => key === 'Enter' && apply()}
    />
  )
}
