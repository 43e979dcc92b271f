/** What one can do with an endpoint as a whole. */
import { Button, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import type { EditedDraft } from '../../parts/draft/use-draft.ts'
import { TypedConfirmDialog } from '../../parts/typed-confirm-dialog.tsx'
import { endpointTexts as texts } from '../../texts/scripts/endpoints.ts'
import { scriptingTexts } from '../../texts/scripts/scripting.ts'
import type { Endpoint, EndpointDefinition } from '../scripting/definition-types.ts'
import { DraftActions } from '../scripting/draft-actions.tsx'
import { useSession } from '../session/session.tsx'
import { useEndpointChanges } from './use-endpoint.ts'

type Props = { readonly edited: EditedDraft<Endpoint, EndpointDefinition> }

export function EndpointActions({ edited }: Props): ReactNode {
  const { may } = useSession()
  const { saved } = edited
  const changes = useEndpointChanges(saved.id)
  const publish = async (note: string | null, revision: number) => {
    const answer = await changes.publish(note, revision)
    edited.adopt(answer)
    notifications.show({ message: scriptingTexts.published(answer.data.published?.version ?? 0) })
  }
  return (
    <>
      <DraftActions
        edited={edited}
        canSave={may('saveEndpointDraft')}
        canPublish={may('publishEndpoint') && (saved.hasUnpublishedChanges || edited.isChanged)}
        onPublish={(note, saved) => publish(note, saved.draftRevision)}
      />
      {saved.published !== null && <Activity edited={edited} />}
      {may('deleteEndpoint') && <Deletion edited={edited} />}
    </>
  )
}

function Activity({ edited }: Props): ReactNode {
  const { may } = useSession()
  const { saved, etag } = edited
  const changes = useEndpointChanges(saved.id)
  const [isOpen, dialog] = useDisclosure()
  const [isBusy, setBusy] = useState(false)
  if (!may(saved.active ? 'deactivateEndpoint' : 'activateEndpoint')) return null
  const change = async (active: boolean) => {
    edited.refresh(await changes.setActive(active, etag))
    notifications.show({ message: active ? texts.activated : texts.deactivated })
  }
  const activate = async () => {
    setBusy(true)
    try {
      await change(true)
    } catch (cause) {
      notifications.show({ color: 'red', message: cause instanceof Error ? cause.message : String(cause) })
    } finally {
      setBusy(false)
    }
  }
  return saved.active ? (
    <>
      <Button variant="default" size="xs" onClick={dialog.open}>
        {texts.deactivate}
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        title={texts.deactivateTitle}
        action={texts.deactivate}
        isDangerous
        onConfirm={() => change(false)}
        onClose={dialog.close}
      >
        <Text>{texts.deactivateText}</Text>
      </ConfirmDialog>
    </>
  ) : (
    <Button variant="default" size="xs" loading={isBusy} onClick={() => void activate()}>
      {texts.activate}
    </Button>
  )
}

function Deletion({ edited }: Props): ReactNode {
  const { saved, etag } = edited
  const changes = useEndpointChanges(saved.id)
  const navigate = useNavigate()
  const [isOpen, dialog] = useDisclosure()
  const remove = async () => {
    await changes.remove(etag)
    edited.discard()
    notifications.show({ message: texts.deleted(saved.draft.name) })
    await navigate({ to: '/endpoints', ignoreBlocker: true })
  }
  return (
    <>
      <Button variant="default" size="xs" c="var(--tone-bad)" onClick={dialog.open}>
        {scriptingTexts.delete}
      </Button>
      <TypedConfirmDialog
        isOpen={isOpen}
        title={texts.deleteTitle}
        name={saved.draft.name}
        action={scriptingTexts.delete}
        onConfirm={remove}
        onClose={dialog.close}
      >
        <Text>{texts.deleteText}</Text>
      </TypedConfirmDialog>
    </>
  )
}
