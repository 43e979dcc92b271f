/** Rotates the key of the session: says what will stop working, asks, and shows the new key once. */
import { Button, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { dataOf } from '../../api/client.ts'
import { ApiProblem } from '../../api/problem.ts'
import { Page } from '../../parts/page.tsx'
import { SecretOnce } from '../../parts/secret-once.tsx'
import { Section } from '../../parts/section.tsx'
import { TypedConfirmDialog } from '../../parts/typed-confirm-dialog.tsx'
import { rotationTexts as texts } from '../../texts/rotation.ts'
import { useSession } from '../session/session.tsx'

const answerLost: ReadonlySet<number> = new Set([0, 502, 504])

export function RotationPage(): ReactNode {
  const { api, replaceKey } = useSession()
  const [isAsking, setAsking] = useState(false)
  const [key, setKey] = useState<string>()
  const rotate = async () => {
    try {
      const { apiKey } = await dataOf(api.POST('/api/v2/service-accounts/me/rotate-api-key'))
      replaceKey(apiKey)
      setKey(apiKey)
    } catch (cause) {
      // The key may have been rotated although the answer was lost, here or behind a gateway (specification 2.8).
      if (cause instanceof ApiProblem && answerLost.has(cause.status))
        throw new Error(texts.unknown, { cause })
      throw cause
    }
  }
  return (
    <Page title={texts.title}>
      <Section title={texts.start}>
        <Text mb="sm" maw="44rem">
          {texts.intro}
        </Text>
        <Text fw={600}>{texts.stops}</Text>
        <Text mb="sm" maw="44rem">
          {texts.stopsText}
        </Text>
        <Text mb="md" maw="44rem">
          {texts.lost}
        </Text>
        <Button onClick={() => setAsking(true)}>{texts.start}</Button>
      </Section>
      <TypedConfirmDialog
        isOpen={isAsking}
        title={texts.dialog}
        name={texts.typed}
        action={texts.start}
        onConfirm={rotate}
        onClose={() => setAsking(false)}
      >
        <Text>{texts.stopsText}</Text>
      </TypedConfirmDialog>
      <SecretOnce secret={key} title={texts.newKey} copyLabel={texts.copy} onClose={() => setKey(undefined)}>
        <Text>{texts.goesOn}</Text>
      </SecretOnce>
    </Page>
  )
}
