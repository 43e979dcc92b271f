/** Organizations that scripts have deleted; they can be restored. */
import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { paths } from '../../../generated/api.d.ts'
import { answerOf, dataOf } from '../../api/client.ts'
import { given } from '../../api/given.ts'
import { type Column, ListTable } from '../../parts/list-table.tsx'
import { Page } from '../../parts/page.tsx'
import { FailureNote } from '../../parts/resource/failure-note.tsx'
import { SearchField } from '../../parts/search-field.tsx'
import { Age } from '../../parts/time.tsx'
import { useAddress } from '../../parts/use-address.ts'
import { useList } from '../../parts/use-list.ts'
import { organizationTexts as texts } from '../../texts/organizations.ts'
import { useSession } from '../session/session.tsx'
import { organizationsKey } from './organization-queries.ts'

type Deleted =
  paths['/api/admin/v1/deleted-organizations']['get']['responses'][200]['content']['application/json']['items'][number]

export function DeletedPage(): ReactNode {
  const { api, may } = useSession()
  const queries = useQueryClient()
  const [{ text, sort }, change] = useAddress()
  const [failure, setFailure] = useState<unknown>()
  const [restoring, setRestoring] = useState<string>()
  const list = useList<Deleted>({
    key: [...organizationsKey, 'deleted', text, sort],
    read: (after, signal) =>
      dataOf(
        api.GET('/api/admin/v1/deleted-organizations', {
          params: { query: given({ text, sort: sort as undefined, after }) },
          signal,
        }),
      ),
  })
  const restore = async (id: string) => {
    setFailure(undefined)
    setRestoring(id)
    try {
      const path = { id }
      const { etag = '*' } = await answerOf(
        api.GET('/api/admin/v1/deleted-organizations/{id}', { params: { path } }),
      )
      await answerOf(
        api.POST('/api/admin/v1/organizations/{id}/restore', {
          params: { path, header: { 'if-match': etag } },
        }),
      )
      await queries.invalidateQueries({ queryKey: organizationsKey })
    } catch (cause) {
      setFailure(cause)
    } finally {
      setRestoring(undefined)
    }
  }
  const columns: readonly Column<Deleted>[] = [
    { id: 'name', header: texts.name, sort: 'name', cell: ({ name }) => name },
    { id: 'number', header: texts.number, cell: ({ number }) => number ?? '–' },
    {
      id: 'at',
      header: texts.deletedAt,
      sort: 'deletedAt',
      cell: ({ deletedAt }) => <Age value={deletedAt} />,
    },
    { id: 'by', header: texts.deletedBy, isWide: true, cell: ({ deletedBy }) => deletedBy },
    {
      id: 'restore',
      header: '',
      align: 'right',
      cell: ({ id, name }) =>
        may('restoreOrganization') && (
          <Button
            size="compact-xs"
            variant="default"
            loading={restoring === id}
            disabled={restoring !== undefined}
            onClick={() => void restore(id)}
          >
            {texts.restore}
            <span className="visually-hidden"> {name}</span>
          </Button>
        ),
    },
  ]
  return (
    <Page
      title={texts.deleted}
      actions={
        <SearchField label={texts.search} value={text} onChange={(typed) => change({ text: typed })} />
      }
    >
      {failure !== undefined && <FailureNote failure={failure} onLoaded={() => setFailure(undefined)} />}
      <ListTable
        label={texts.deleted}
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        sort={sort ?? 'name'}
        onSort={(by) => change({ sort: by })}
        empty={{ title: texts.noneDeleted }}
      />
    </Page>
  )
}
