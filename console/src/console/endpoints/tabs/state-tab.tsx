/** What the scripts of an endpoint keep from run to run. */
import { Button, Code, Group, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { paths } from '../../../../generated/api.d.ts'
import { answerOf, dataOf } from '../../../api/client.ts'
import { formatBytes } from '../../../format/numbers.ts'
import { ConfirmDialog } from '../../../parts/confirm-dialog.tsx'
import { type Column, ListTable } from '../../../parts/list-table.tsx'
import { Age } from '../../../parts/time.tsx'
import { TypedConfirmDialog } from '../../../parts/typed-confirm-dialog.tsx'
import { useList } from '../../../parts/use-list.ts'
import { endpointTexts as texts } from '../../../texts/scripts/endpoints.ts'
import classes from '../../scripting/scripting.module.css'
import { useSession } from '../../session/session.tsx'

type StateRow =
  paths['/api/admin/v1/endpoints/{id}/state']['get']['responses'][200]['content']['application/json']['items'][number]

type Props = { readonly id: string; readonly name: string }

export function StateTab({ id, name }: Props): ReactNode {
  const { api, may } = useSession()
  const queries = useQueryClient()
  const [removed, setRemoved] = useState<string>()
  const [isClearing, clearing] = useDisclosure()
  const key = ['endpoint-state', id]
  const list = useList<StateRow>({
    key,
    read: (after, signal) =>
      dataOf(
        api.GET('/api/admin/v1/endpoints/{id}/state', {
          params: { path: { id }, query: after === undefined ? {} : { after } },
          signal,
        }),
      ),
  })
  const columns: readonly Column<StateRow>[] = [
    { id: 'key', header: texts.stateColumns.key, cell: (row) => row.key },
    {
      id: 'value',
      header: texts.stateColumns.value,
      cell: ({ value }) => <Code className={classes.value}>{JSON.stringify(value)}</Code>,
    },
    {
      id: 'version',
      header: texts.stateColumns.version,
      align: 'right',
      isWide: true,
      cell: (row) => row.version,
    },
    {
      id: 'bytes',
      header: texts.stateColumns.bytes,
      align: 'right',
      isWide: true,
      cell: ({ bytes }) => formatBytes(bytes),
    },
    {
      id: 'updated',
      header: texts.stateColumns.updated,
      isWide: true,
      cell: (row) => <Age value={row.updatedAt} />,
    },
    ...(may('deleteEndpointStateKey')
      ? [
          {
            id: 'delete',
            header: '',
            align: 'right' as const,
            cell: ({ key }: StateRow) => (
              <Button
                variant="default"
                size="compact-xs"
                c="var(--tone-bad)"
                aria-label={texts.stateDeleteKey(key)}
                onClick={() => setRemoved(key)}
              >
                {texts.stateDelete}
              </Button>
            ),
          },
        ]
      : []),
  ]
  const read = () => queries.invalidateQueries({ queryKey: key })
  const remove = async (stateKey: string) => {
    await answerOf(
      api.DELETE('/api/admin/v1/endpoints/{id}/state/{key}', { params: { path: { id, key: stateKey } } }),
    )
    await read()
  }
  const clear = async () => {
    await answerOf(api.DELETE('/api/admin/v1/endpoints/{id}/state', { params: { path: { id } } }))
    await read()
  }
  return (
    <>
      {may('deleteEndpointState') && list.rows.length > 0 && (
        <Group justify="flex-end" mb="xs">
          <Button variant="default" size="xs" c="var(--tone-bad)" onClick={clearing.open}>
            {texts.stateClear}
          </Button>
        </Group>
      )}
      <ListTable
        label={texts.stateList}
        list={list}
        columns={columns}
        rowKey={(row) => row.key}
        empty={{ title: texts.stateNone, hint: texts.stateNoneHint }}
      />
      <ConfirmDialog
        isOpen={removed !== undefined}
        title={texts.stateDeleteTitle}
        action={texts.stateDelete}
        isDangerous
        onConfirm={() => remove(removed ?? '')}
        onClose={() => setRemoved(undefined)}
      >
        <Text>{texts.stateDeleteText(removed ?? '')}</Text>
      </ConfirmDialog>
      <TypedConfirmDialog
        isOpen={isClearing}
        title={texts.stateClear}
        name={name}
        action={texts.stateClear}
        onConfirm={clear}
        onClose={clearing.close}
      >
        <Text>{texts.stateClearText}</Text>
      </TypedConfirmDialog>
    </>
  )
}
