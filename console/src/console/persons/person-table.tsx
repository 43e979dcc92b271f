/** Persons as a table, on their own page and on that of an organization. */
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { dataOf } from '../../api/client.ts'
import { given } from '../../api/given.ts'
import { type Column, ListTable } from '../../parts/list-table.tsx'
import { Age } from '../../parts/time.tsx'
import { Tone } from '../../parts/tone.tsx'
import { useList } from '../../parts/use-list.ts'
import { personTexts as texts } from '../../texts/persons.ts'
import { useSession } from '../session/session.tsx'
import { nameOf, type Person, personsKey } from './person-queries.ts'

const columns: readonly Column<Person>[] = [
  { id: 'name', header: texts.name, sort: 'lastName', cell: nameOf },
  {
    id: 'email',
    header: texts.email,
    sort: 'emailAddress',
    isLong: true,
    cell: ({ emailAddress }) => emailAddress,
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

type Props = {
  readonly organizationId?: string
  readonly text?: string | undefined
  readonly sort?: string | undefined
  readonly onSort?: (sort: string) => void
  readonly empty: { readonly title: string; readonly hint?: ReactNode; readonly action?: ReactNode }
}

export function PersonTable({ organizationId, text, sort, onSort, empty }: Props): ReactNode {
  const { api } = useSession()
  const navigate = useNavigate()
  const list = useList<Person>({
    key: [...personsKey, organizationId, text, sort],
    read: (after, signal) =>
      dataOf(
        api.GET('/api/admin/v1/persons', {
          params: { query: given({ organizationId, text, sort: sort as undefined, after }) },
          signal,
        }),
      ),
  })
  return (
    <ListTable
      label={texts.title}
      list={list}
      columns={columns}
      rowKey={({ id }) => id}
      onOpen={({ id }) => void navigate({ to: `/persons/${id}` })}
      sort={sort ?? 'lastName'}
      {...(onSort && { onSort })}
      empty={empty}
    />
  )
}
