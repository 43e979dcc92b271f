/** The buttons of a webhook, and the dialogs that they open. */
import { Button, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { useIdempotencyKey } from '../../parts/resource/use-idempotency-key.ts'
import type { LoadedResource } from '../../parts/resource/use-resource.ts'
import { webhookTexts as texts } from '../../texts/webhooks.ts'
import { useSession } from '../session/session.tsx'
import { type WebhookAction, webhookActions } from './webhook-actions.ts'
import { ChangeWebhook, ShownSecret } from './webhook-dialogs.tsx'
import { deliveriesKey, type Webhook, webhooksKey } from './webhook-queries.ts'

type Props = {
  readonly webhook: Webhook
  readonly resource: LoadedResource<Webhook>
  readonly onRemoved: () => void
}

export function WebhookButtons({ webhook, resource, onRemoved }: Props): ReactNode {
  const { api, may } = useSession()
  const queries = useQueryClient()
  const [asked, setAsked] = useState<WebhookAction | 'edit' | 'remove'>()
  const close = () => setAsked(undefined)
  const remove = async () => {
    await resource.remove((ifMatch) =>
      api.DELETE('/api/admin/v1/webhooks/{id}', {
        params: { path: { id: webhook.id }, header: { 'if-match': ifMatch } },
      }),
    )
    void queries.invalidateQueries({ queryKey: webhooksKey })
    onRemoved()
  }
  return (
    <>
      {may('changeWebhook') && (
        <Button size="xs" variant="default" onClick={() => setAsked('edit')}>
          {texts.edit}
        </Button>
      )}
      {webhookActions
        .filter(({ right, isOffered }) => may(right) && isOffered(webhook))
        .map((action) => (
          <Button key={action.id} size="xs" variant="default" onClick={() => setAsked(action)}>
            {action.label}
          </Button>
        ))}
      {may('removeWebhook') && (
        <Button size="xs" variant="default" c="var(--tone-bad)" onClick={() => setAsked('remove')}>
          {texts.remove}
        </Button>
      )}
      {asked === 'edit' && <ChangeWebhook resource={resource} onClose={close} />}
      {asked === 'remove' && (
        <ConfirmDialog
          isOpen
          title={texts.removeTitle}
          action={texts.remove}
          isDangerous
          onConfirm={remove}
          onClose={close}
        >
          <Text style={{ overflowWrap: 'anywhere' }}>{webhook.url}</Text>
          <Text>{texts.removeText}</Text>
        </ConfirmDialog>
      )}
      {typeof asked === 'object' && (
        <ActionDialog action={asked} webhook={webhook} resource={resource} onClose={close} />
      )}
    </>
  )
}

type ActionProps = Omit<Props, 'onRemoved'> & {
  readonly action: WebhookAction
  readonly onClose: () => void
}

function ActionDialog({ action, webhook, resource, onClose }: ActionProps): ReactNode {
  const { api } = useSession()
  const queries = useQueryClient()
  const keyFor = useIdempotencyKey()
  const [secret, setSecret] = useState<string>()
  const confirm = async () => {
    const answer = await resource.change((ifMatch) =>
      action.send(api, {
        params: {
          path: { id: webhook.id },
          header: { 'if-match': ifMatch, 'idempotency-key': keyFor([action.id, ifMatch]) },
        },
      }),
    )
    void queries.invalidateQueries({ queryKey: webhooksKey })
    void queries.invalidateQueries({ queryKey: deliveriesKey(webhook.id) })
    if (answer?.secret === undefined) onClose()
    else setSecret(answer.secret)
  }
  if (secret !== undefined) return <ShownSecret secret={secret} onClose={onClose} />
  return (
    <ConfirmDialog
      isOpen
      title={action.title}
      action={action.label}
      closesWhenDone={false}
      onConfirm={confirm}
      onClose={onClose}
    >
      <Text style={{ overflowWrap: 'anywhere' }}>{action.text(webhook)}</Text>
    </ConfirmDialog>
  )
}
