/** Asks for the name of a module and makes its draft. */
import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useState } from 'react'
import { dataOf } from '../../api/client.ts'
import { ApiProblem } from '../../api/problem.ts'
import { faultsAt } from '../../parts/shape-form/shape.ts'
import { dialogTexts } from '../../texts/dialogs.ts'
import { moduleTexts as texts } from '../../texts/scripts/modules.ts'
import { placedFaults } from '../scripting/placed-faults.ts'
import { useSession } from '../session/session.tsx'

type Props = { readonly isOpen: boolean; readonly onClose: () => void }

export function CreateModule({ isOpen, onClose }: Props): ReactNode {
  const { api } = useSession()
  const navigate = useNavigate()
  const queries = useQueryClient()
  const [name, setName] = useState('')
  const [description, setDescription] = useState('')
  const [problem, setProblem] = useState<ApiProblem>()
  const [isSending, setSending] = useState(false)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    // Enter sends the form, too.
    if (isSending) return
    setSending(true)
    setProblem(undefined)
    try {
      const body = { name: name.trim(), description, script: '' }
      const made = await dataOf(api.POST('/api/admin/v1/modules', { body }))
      await queries.invalidateQueries({ queryKey: ['modules'] })
      onClose()
      await navigate({ to: `/modules/${made.name}` })
    } catch (cause) {
      if (!(cause instanceof ApiProblem)) throw cause
      setProblem(cause)
    } finally {
      setSending(false)
    }
  }
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={texts.create}
      closeButtonProps={{ 'aria-label': dialogTexts.close }}
    >
      <form onSubmit={(event) => void submit(event)}>
        <Stack gap="sm">
          <TextInput
            label={texts.name}
            description={texts.nameHint}
            required
            data-autofocus
            value={name}
            error={faultsAt(placedFaults(problem), '/name')}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <TextInput
            label={texts.description}
            value={description}
            onChange={(event) => setDescription(event.currentTarget.value)}
          />
          {problem !== undefined && (
            <Text c="var(--tone-bad)" role="alert">
              {problem.message}
            </Text>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {dialogTexts.cancel}
            </Button>
            <Button type="submit" loading={isSending}>
              {texts.createAction}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
