/** The list of endpoints. */
import { Button, NativeSelect } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlus } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { dataOf } from '../../api/client.ts'
import { FilterRow } from '../../parts/filters/filter-row.tsx'
import { type Column, ListTable } from '../../parts/list-table.tsx'
import { Page } from '../../parts/page.tsx'
import { SearchField } from '../../parts/search-field.tsx'
import { Age } from '../../parts/time.tsx'
import { useAddress } from '../../parts/use-address.ts'
import { useList } from '../../parts/use-list.ts'
import { endpointTexts as texts } from '../../texts/scripts/endpoints.ts'
import type { EndpointSummary } from '../scripting/definition-types.ts'
import { useSession } from '../session/session.tsx'
import { CreateEndpoint } from './create-endpoint.tsx'
import { EndpointState } from './endpoint-state.tsx'
import { categories, methods, states } from './words.ts'

const columns: readonly Column<EndpointSummary>[] = [
  { id: 'name', header: texts.columns.name, sort: 'name', cell: ({ name }) => name },
  {
    id: 'path',
    header: texts.columns.path,
    sort: 'path',
    isWide: true,
    cell: ({ method, path }) => (method === null ? texts.scheduledOnly : `${method} /${path}`),
  },
  {
    id: 'category',
    header: texts.columns.category,
    sort: 'category',
    isWide: true,
    cell: ({ category }) => category,
  },
  { id: 'state', header: texts.columns.state, cell: (endpoint) => <EndpointState endpoint={endpoint} /> },
  {
    id: 'version',
    header: texts.columns.version,
    align: 'right',
    isWide: true,
    cell: ({ published }) => published?.version ?? '–',
  },
  {
    id: 'changed',
    header: texts.columns.changed,
    sort: 'draftChangedAt',
    isWide: true,
    cell: ({ draftChangedAt }) => <Age value={draftChangedAt} />,
  },
]

export function EndpointsPage(): ReactNode {
  const { api, may } = useSession()
  const navigate = useNavigate()
  const [address, change] = useAddress()
  const [isCreating, creating] = useDisclosure()
  const { text, category, method, state, sort = 'name' } = address
  const query = { text, category, method, state, sort }
  const list = useList<EndpointSummary>({
    key: ['endpoints', query],
    read: (after, signal) =>
      dataOf(api.GET('/api/admin/v1/endpoints', { params: { query: { ...query, after } as never }, signal })),
  })
  const isFiltered = [text, category, method, state].some((value) => value !== undefined)
  const create = may('createEndpoint') && (
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
      <FilterRow>
        <Filter label={texts.category} name="category" words={categories} />
        <Filter label={texts.method} name="method" words={methods} />
        <Filter label={texts.state} name="state" words={states} labels={texts.states} />
      </FilterRow>
      <ListTable
        label={texts.list}
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        onOpen={({ id }) => void navigate({ to: `/endpoints/${id}` })}
        sort={sort}
        onSort={(sorted) => change({ sort: sorted })}
        empty={
          isFiltered
            ? { title: texts.noneFound, hint: texts.noneFoundHint }
            : { title: texts.none, hint: texts.noneHint, action: create }
        }
      />
      {isCreating && <CreateEndpoint onClose={creating.close} />}
    </Page>
  )
}

type FilterProps = {
  readonly label: string
  readonly name: string
  readonly words: readonly string[]
  readonly labels?: Readonly<Record<string, string>>
}

function Filter({ label, name, words, labels = {} }: FilterProps): ReactNode {
  const [address, change] = useAddress()
  return (
    <NativeSelect
      size="xs"
      aria-label={label}
      value={address[name] ?? ''}
      data={[
        { value: '', label: `${label}: ${texts.all}` },
        ...words.map((word) => ({ value: word, label: labels[word] ?? word })),
      ]}
      onChange={(event) => change({ [name]: event.currentTarget.value })}
    />
  )
}
