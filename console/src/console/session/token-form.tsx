/** Asks for a token of `tripfolio token issue`. */
import { Button, PasswordInput, Stack } from '@mantine/core'
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { consoleTexts as texts } from '../../texts/console.ts'
import type { TokenSource } from './session.tsx'

type Props = {
  readonly failure: string | undefined
  readonly isTrying: boolean
  readonly onToken: (source: TokenSource) => void
}

export function TokenForm({ failure, isTrying, onToken }: Props): ReactNode {
  const [token, setToken] = useState('')
  const field = useRef<HTMLInputElement>(null)
  // It is what the page is for.
  useEffect(() => field.current?.focus(), [])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const text = token.trim()
    onToken({ token: () => text, end: () => undefined })
  }
  return (
    <Stack component="form" gap="md" onSubmit={submit}>
      <PasswordInput
        ref={field}
        label={texts.token}
        value={token}
        onChange={(event) => setToken(event.currentTarget.value)}
        error={failure}
        autoComplete="off"
        spellCheck={false}
        required
        withAsterisk={false}
      />
      <Button type="submit" loading={isTrying}>
        {texts.signIn}
      </Button>
    </Stack>
  )
}
