/** Asks for what an endpoint needs at least, and makes its draft. */
import { Button, Group, Modal, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useState } from 'react'
import { dataOf } from '../../api/client.ts'
import { ApiProblem } from '../../api/problem.ts'
import { faultsAt } from '../../parts/shape-form/shape.ts'
import { dialogTexts } from '../../texts/dialogs.ts'
import { endpointTexts as texts } from '../../texts/scripts/endpoints.ts'
import type { EndpointDefinition } from '../scripting/definition-types.ts'
import { placedFaults } from '../scripting/placed-faults.ts'
import { useSession } from '../session/session.tsx'
import { categories, methods } from './words.ts'

type Props = { readonly isOpen: boolean; readonly onClose: () => void }

type Members = Pick<EndpointDefinition, 'name' | 'category' | 'method' | 'path'>

const first: Members = { name: '', category: 'Utility', method: 'GET', path: '' }

/** The smallest script that answers. */
const script = 'Data._payload = { ok: true }\n'

export function CreateEndpoint({ isOpen, onClose }: Props): ReactNode {
  const { api } = useSession()
  const navigate = useNavigate()
  const queries = useQueryClient()
  const [members, setMembers] = useState(first)
  const [problem, setProblem] = useState<ApiProblem>()
  const [isSending, setSending] = useState(false)
  const change = (changes: Partial<Members>) => setMembers((now) => ({ ...now, ...changes }))
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    // Enter sends the form, too.
    if (isSending) return
    setSending(true)
    setProblem(undefined)
    const { path, method, ...others } = members
    const place = path === '' || path === null ? { path: null, method: null } : { path, method }
    try {
      const made = await dataOf(
        api.POST('/api/admin/v1/endpoints', { body: { ...others, ...place, script } as EndpointDefinition }),
      )
      await queries.invalidateQueries({ queryKey: ['endpoints'] })
      onClose()
      await navigate({ to: `/endpoints/${made.id}` })
    } catch (cause) {
      if (!(cause instanceof ApiProblem)) throw cause
      setProblem(cause)
    } finally {
      setSending(false)
    }
  }
  const faults = placedFaults(problem)
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
            required
            data-autofocus
            value={members.name}
            error={faultsAt(faults, '/name')}
            onChange={(event) => change({ name: event.currentTarget.value })}
          />
          <NativeSelect
            label={texts.category}
            data={[...categories]}
            value={members.category}
            onChange={(event) => change({ category: event.currentTarget.value as Members['category'] })}
          />
          <NativeSelect
            label={texts.method}
            description={texts.methodHint}
            data={[...methods]}
            value={members.method ?? ''}
            onChange={(event) => change({ method: event.currentTarget.value as Members['method'] })}
          />
          <TextInput
            label={texts.path}
            description={texts.pathHint}
            value={members.path ?? ''}
            error={faultsAt(faults, '/path')}
            onChange={(event) => change({ path: event.currentTarget.value })}
          />
          {problem !== undefined && (
            <Text c="var(--tone-bad)" role="alert">
              {problem.message}
            </Text>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {texts.cancel}
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
