/** What may be noted of organizations and persons. */
import { Button, Select } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import type { components } from '../../../generated/api.d.ts'
import { dataOf } from '../../api/client.ts'
import { given } from '../../api/given.ts'
import { type Column, ListTable } from '../../parts/list-table.tsx'
import { Page } from '../../parts/page.tsx'
import { SearchField } from '../../parts/search-field.tsx'
import { Age } from '../../parts/time.tsx'
import { Tone } from '../../parts/tone.tsx'
import { useAddress } from '../../parts/use-address.ts'
import { useList } from '../../parts/use-list.ts'
import { facetTexts as texts } from '../../texts/facets.ts'
import { useSession } from '../session/session.tsx'
import { AddFacet, ChangeFacet } from './facet-dialogs.tsx'

export type FacetDefinition = components['schemas']['FacetDefinition']

export const facetsKey = ['facets'] as const

const columns: readonly Column<FacetDefinition>[] = [
  { id: 'name', header: texts.name, sort: 'name', cell: ({ name }) => name },
  { id: 'category', header: texts.category, sort: 'category', cell: ({ category }) => category },
  {
    id: 'resource',
    header: texts.resourceType,
    sort: 'resourceType',
    cell: ({ resourceType }) => texts.resourceTypes[resourceType],
  },
  {
    id: 'sensitivity',
    header: texts.sensitivity,
    isWide: true,
    cell: ({ dataSensitivity }) => texts.sensitivities[dataSensitivity],
  },
  {
    id: 'state',
    header: texts.state,
    isWide: true,
    cell: ({ isActive }) => (
      <Tone tone={isActive ? 'good' : 'neutral'}>{isActive ? texts.active : texts.inactive}</Tone>
    ),
  },
  {
    id: 'changed',
    header: texts.changed,
    sort: 'updatedAt',
    isWide: true,
    cell: ({ updatedAt }) => <Age value={updatedAt} />,
  },
]

export function FacetsPage(): ReactNode {
  const { api, may } = useSession()
  const [{ text, sort, of }, change] = useAddress()
  const [opened, setOpened] = useState<FacetDefinition | 'new'>()
  const list = useList<FacetDefinition>({
    key: [...facetsKey, text, sort, of],
    read: (after, signal) =>
      dataOf(
        api.GET('/api/admin/v1/facet-definitions', {
          params: {
            query: given({
              text,
              sort: sort as undefined,
              resourceType: of as 'Organization' | undefined,
              after,
            }),
          },
          signal,
        }),
      ),
  })
  const close = () => setOpened(undefined)
  const add = may('createFacetDefinition') && (
    <Button size="xs" leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setOpened('new')}>
      {texts.add}
    </Button>
  )
  return (
    <Page
      title={texts.title}
      actions={
        <>
          <Select
            size="xs"
            aria-label={texts.resourceType}
            placeholder={texts.resourceType}
            clearable
            data={Object.entries(texts.resourceTypes).map(([value, label]) => ({ value, label }))}
            value={of ?? null}
            onChange={(chosen) => change({ of: chosen ?? undefined })}
          />
          <SearchField label={texts.search} value={text} onChange={(typed) => change({ text: typed })} />
          {add}
        </>
      }
    >
      <ListTable
        label={texts.title}
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        {...(may('updateFacetDefinition') && { onOpen: setOpened })}
        sort={sort ?? 'category'}
        onSort={(by) => change({ sort: by })}
        empty={
          text === undefined && of === undefined
            ? { title: texts.emptyTitle, hint: texts.emptyHint, action: add }
            : { title: texts.noneFound, hint: texts.noneFoundHint }
        }
      />
      {opened === 'new' && <AddFacet onClose={close} />}
      {typeof opened === 'object' && <ChangeFacet id={opened.id} onClose={close} />}
    </Page>
  )
}
