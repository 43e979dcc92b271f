/** Starts a refresh. */
import { Checkbox, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { dataOf } from '../../api/client.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { useIdempotencyKey } from '../../parts/resource/use-idempotency-key.ts'
import { refreshTexts as texts } from '../../texts/snapshots.ts'
import { useSession } from '../session/session.tsx'
import { refreshesKey } from './refresh-queries.ts'

export function StartDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const { api } = useSession()
  const queries = useQueryClient()
  const keyFor = useIdempotencyKey()
  const [acceptShrink, setAcceptShrink] = useState(false)
  const start = async () => {
    const body = acceptShrink ? { acceptShrink } : {}
    await dataOf(
      api.POST('/api/admin/v1/snapshots/refresh', {
        params: { header: { 'idempotency-key': keyFor(body) } },
        body,
      }),
    )
    notifications.show({ message: texts.started })
    void queries.invalidateQueries({ queryKey: refreshesKey })
  }
  return (
    <ConfirmDialog isOpen title={texts.startTitle} action={texts.start} onConfirm={start} onClose={onClose}>
      <Text>{texts.startText}</Text>
      <Checkbox
        label={texts.acceptShrink}
        description={texts.acceptShrinkHint}
        checked={acceptShrink}
        onChange={(event) => setAcceptShrink(event.currentTarget.checked)}
      />
    </ConfirmDialog>
  )
}
