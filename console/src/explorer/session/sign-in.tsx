/** Asks for an API key. */
import { Button, Checkbox, Paper, PasswordInput, Stack, Text, Title } from '@mantine/core'
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { ApiProblem } from '../../api/problem.ts'
import classes from '../../app/sign-in.module.css'
import { explorerTexts as texts } from '../../texts/explorer.ts'
import { type OpenedSession, openSession } from './session.tsx'

type Props = {
  readonly isExpired: boolean
  /** Why the key that the tab has kept opens no session. */
  readonly failed: unknown
  readonly onOpen: (opened: OpenedSession) => void
}

export function SignIn({ isExpired, failed, onOpen }: Props): ReactNode {
  const [key, setKey] = useState('')
  const field = useRef<HTMLInputElement>(null)
  const [keepForTab, setKeepForTab] = useState(false)
  const [failure, setFailure] = useState(failed)
  const [isTrying, setTrying] = useState(false)
  useEffect(() => field.current?.focus(), [])
  const tryKey = async () => {
    setTrying(true)
    setFailure(undefined)
    try {
      onOpen(await openSession({ key: key.trim(), keepForTab }))
    } catch (cause) {
      setFailure(cause)
      setTrying(false)
    }
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void tryKey()
  }
  return (
    <main className={classes.page}>
      <Paper component="form" onSubmit={submit} withBorder p="xl" className={classes.card}>
        <Stack gap="md">
          <Title order={1} size="h3">
            {texts.signInTitle}
          </Title>
          <Text c="var(--text-dim)">{isExpired ? texts.keyExpired : texts.signInHint}</Text>
          <PasswordInput
            label={texts.apiKey}
            value={key}
            onChange={(event) => setKey(event.currentTarget.value)}
            error={failure === undefined ? undefined : messageOf(failure)}
            autoComplete="off"
            spellCheck={false}
            required
            withAsterisk={false}
            ref={field}
          />
          <Checkbox
            label={texts.keepForTab}
            description={texts.keepForTabHint}
            checked={keepForTab}
            onChange={(event) => setKeepForTab(event.currentTarget.checked)}
          />
          <Button type="submit" loading={isTrying}>
            {texts.signIn}
          </Button>
        </Stack>
      </Paper>
    </main>
  )
}

function messageOf(failure: unknown): string {
  if (!(failure instanceof ApiProblem)) return failure instanceof Error ? failure.message : String(failure)
  return failure.status === 401 ? texts.keyRefused : `${failure.message}.`
}
