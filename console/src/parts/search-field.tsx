/** Searches a list at the server: what is typed goes into the address after a short pause. */
import { TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'

type Props = {
  readonly label: string
  readonly value: string | undefined
  readonly onChange: (text: string) => void
}

const PAUSE_MS = 200

export function SearchField({ label, value = '', onChange }: Props): ReactNode {
  const [typed, setTyped] = useState(value)
  const [known, setKnown] = useState(value)
  const [sent, setSent] = useState(value)
  const send = useDebouncedCallback((text: string) => {
    setSent(text)
    onChange(text)
  }, PAUSE_MS)
  if (value !== known) {
    setKnown(value)
    // The address was changed from elsewhere, such as by Back.
    if (value !== sent) setTyped(value)
  }
  return (
    <TextInput
      type="search"
      size="xs"
      w="16rem"
      maw="100%"
      placeholder={label}
      aria-label={label}
      leftSection={<IconSearch size={14} aria-hidden />}
      value={typed}
      onChange={(event) => {
        setTyped(event.currentTarget.value)
        send(event.currentTarget.value)
      }}
    />
  )
}
