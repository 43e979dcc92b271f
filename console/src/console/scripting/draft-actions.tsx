/** Saves and publishes a draft, and asks before unsaved changes are lost. */
import { Alert, Button, Stack, Text, Textarea } from '@mantine/core'
import { useDisclosure, useHotkeys } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { useBlocker } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { ApiProblem } from '../../api/problem.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { useUnsaved } from '../../parts/draft/unsaved.ts'
import type { EditedDraft } from '../../parts/draft/use-draft.ts'
import { Tone } from '../../parts/tone.tsx'
import { scriptingTexts as texts } from '../../texts/scripts/scripting.ts'

type Props<Saved, Draft> = {
  readonly edited: EditedDraft<Saved, Draft>
  readonly canSave: boolean
  readonly canPublish: boolean
  /** Publishes what is saved. */
  readonly onPublish: (note: string | null, saved: Saved) => Promise<void>
}

export function DraftActions<Saved, Draft>(props: Props<Saved, Draft>): ReactNode {
  const { edited, canSave, canPublish, onPublish } = props
  const [isPublishing, publishing] = useDisclosure()
  const [note, setNote] = useState('')
  const save = async () => {
    if (!canSave || !edited.isChanged || edited.isSaving) return
    if ((await edited.save()) !== undefined) notifications.show({ message: texts.saved })
  }
  useHotkeys([['mod+S', () => void save()]], [], true)
  const publish = async () => {
    const saved = edited.isChanged ? (await edited.save())?.data : edited.saved
    if (saved === undefined) return
    await onPublish(note.trim() === '' ? null : note.trim(), saved)
    setNote('')
  }
  return (
    <>
      {edited.isChanged && <Tone tone="warning">{texts.unsaved}</Tone>}
      {canSave && edited.isChanged && (
        <Button variant="default" size="xs" onClick={edited.discard}>
          {texts.discard}
        </Button>
      )}
      {canSave && (
        <Button
          variant="default"
          size="xs"
          disabled={!edited.isChanged}
          loading={edited.isSaving}
          onClick={() => void save()}
        >
          {texts.save}
        </Button>
      )}
      {canPublish && (
        <Button size="xs" onClick={publishing.open}>
          {texts.publish}
        </Button>
      )}
      <ConfirmDialog
        isOpen={isPublishing}
        title={texts.publishTitle}
        action={texts.publish}
        onConfirm={publish}
        onClose={publishing.close}
      >
        <Text>{texts.publishText}</Text>
        <Textarea
          label={texts.note}
          description={texts.noteHint}
          value={note}
          maxLength={500}
          data-autofocus
          onChange={(event) => setNote(event.currentTarget.value)}
        />
      </ConfirmDialog>
      <LeavingGuard isChanged={edited.isChanged} />
    </>
  )
}

function LeavingGuard({ isChanged }: { readonly isChanged: boolean }): ReactNode {
  useUnsaved(isChanged)
  const blocker = useBlocker({
    // Tabs of the page are in its address too.
    shouldBlockFn: ({ current, next }) => isChanged && current.pathname !== next.pathname,
    enableBeforeUnload: isChanged,
    withResolver: true,
  })
  return (
    <ConfirmDialog
      isOpen={blocker.status === 'blocked'}
      title={texts.leaveTitle}
      action={texts.leave}
      isDangerous
      onConfirm={async () => blocker.proceed?.()}
      onClose={() => blocker.reset?.()}
    >
      <Text>{texts.leaveText}</Text>
    </ConfirmDialog>
  )
}

/** Why the server refused a draft. Faults of members stand at the members, too. */
export function RefusedDraft({ problem }: { readonly problem: ApiProblem | undefined }): ReactNode {
  if (problem === undefined) return null
  return (
    <Alert role="alert" variant="outline" color="red" title={texts.refused} mb="md" styles={alertStyles}>
      <Stack gap={4}>
        <Text size="sm">{problem.message}</Text>
      </Stack>
    </Alert>
  )
}

const alertStyles = { title: { color: 'var(--tone-bad)' } }
