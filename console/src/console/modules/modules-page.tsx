/** The list of modules. */
import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlus } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { dataOf } from '../../api/client.ts'
import { type Column, ListTable } from '../../parts/list-table.tsx'
import { Page } from '../../parts/page.tsx'
import { SearchField } from '../../parts/search-field.tsx'
import { Age } from '../../parts/time.tsx'
import { useAddress } from '../../parts/use-address.ts'
import { useList } from '../../parts/use-list.ts'
import { moduleTexts as texts } from '../../texts/scripts/modules.ts'
import type { Module } from '../scripting/definition-types.ts'
import { useSession } from '../session/session.tsx'
import { CreateModule } from './create-module.tsx'
import { ModuleState } from './module-state.tsx'

type Row = Omit<Module, 'script' | 'problems'>

const columns: readonly Column<Row>[] = [
  { id: 'name', header: texts.columns.name, sort: 'name', cell: ({ name }) => name },
  {
    id: 'description',
    header: texts.columns.description,
    isWide: true,
    cell: ({ description }) => (description === '' ? '–' : description),
  },
  {
    id: 'version',
    header: texts.columns.version,
    align: 'right',
    cell: ({ version }) => version ?? '–',
  },
  { id: 'state', header: texts.columns.state, cell: (module) => <ModuleState module={module} /> },
  {
    id: 'changed',
    header: texts.columns.changed,
    sort: 'draftChangedAt',
    isWide: true,
    cell: ({ draftChangedAt }) => <Age value={draftChangedAt} />,
  },
]

export function ModulesPage(): ReactNode {
  const { api, may } = useSession()
  const navigate = useNavigate()
  const [{ text, sort = 'name' }, change] = useAddress()
  const [isCreating, creating] = useDisclosure()
  const query = { text, sort }
  const list = useList<Row>({
    key: ['modules', query],
    read: (after, signal) =>
      dataOf(api.GET('/api/admin/v1/modules', { params: { query: { ...query, after } as never }, signal })),
  })
  const create = may('createModule') && (
    <Button size="xs" leftSection={<IconPlus size={15} aria-hidden />} onClick={creating.open}>
      {texts.create}
    </Button>
  )
  return (
    <Page
      title={texts.title}
      actions={
        <>
          <SearchField label={texts.search} value={text} onChange={(text) => change({ text })} />
          {create}
        </>
      }
    >
      <ListTable
        label={texts.title}
        list={list}
        columns={columns}
        rowKey={({ name }) => name}
        onOpen={({ name }) => void navigate({ to: `/modules/${name}` })}
        sort={sort}
        onSort={(sorted) => change({ sort: sorted })}
        empty={
          text === undefined
            ? { title: texts.none, hint: texts.noneHint, action: create }
            : { title: texts.noneFound, hint: texts.noneFoundHint }
        }
      />
      {isCreating && <CreateModule onClose={creating.close} />}
    </Page>
  )
}
