/** Runs a schedule now, pauses it and resumes it. */
import { Button, Group, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { answerOf } from '../../api/client.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { scheduleTexts as texts } from '../../texts/scripts/schedules.ts'
import type { Schedule } from '../scripting/definition-types.ts'
import { useSession } from '../session/session.tsx'

export function ScheduleActions({ schedule }: { readonly schedule: Schedule }): ReactNode {
  const { api, may } = useSession()
  const queries = useQueryClient()
  const [isRunning, running] = useDisclosure()
  const { endpointId: id, name, state } = schedule
  const path = { id, name }
  const isPaused = state === 'Paused'
  const read = () => queries.invalidateQueries({ queryKey: ['schedules'] })
  const run = async () => {
    await answerOf(api.POST('/api/admin/v1/endpoints/{id}/schedules/{name}/run', { params: { path } }))
    notifications.show({ message: texts.asked(name) })
    await read()
  }
  /** Pausing twice is the same as pausing once, so nothing that another has changed is lost. */
  const setPaused = async (paused: boolean) => {
    const params = { path, header: { 'if-match': '*' } }
    try {
      await answerOf(
        paused
          ? api.POST('/api/admin/v1/endpoints/{id}/schedules/{name}/pause', { params })
          : api.POST('/api/admin/v1/endpoints/{id}/schedules/{name}/resume', { params }),
      )
      notifications.show({ message: paused ? texts.paused(name) : texts.resumed(name) })
    } catch (cause) {
      notifications.show({ color: 'red', message: cause instanceof Error ? cause.message : String(cause) })
    }
    await read()
  }
  return (
    <Group gap="xs" justify="flex-end">
      {may('runSchedule') && state !== 'Inactive' && (
        <Button variant="default" size="compact-xs" aria-label={texts.runOf(name)} onClick={running.open}>
          {texts.run}
        </Button>
      )}
      {may(isPaused ? 'resumeSchedule' : 'pauseSchedule') && state !== 'Inactive' && (
        <Button
          variant="default"
          size="compact-xs"
          aria-label={isPaused ? texts.resumeOf(name) : texts.pauseOf(name)}
          onClick={() => void setPaused(!isPaused)}
        >
          {isPaused ? texts.resume : texts.pause}
        </Button>
      )}
      <ConfirmDialog
        isOpen={isRunning}
        title={texts.runTitle}
        action={texts.run}
        onConfirm={run}
        onClose={running.close}
      >
        <Text>{texts.runText(name)}</Text>
      </ConfirmDialog>
    </Group>
  )
}
