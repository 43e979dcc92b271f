/** The secrets of scripts: names and states. Values are written here and never shown. */
import { Button } from '@mantine/core'
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
import { secretTexts as texts } from '../../texts/secrets.ts'
import { useSession } from '../session/session.tsx'
import { AddSecret, ChangeSecret } from './secret-dialogs.tsx'

export type Secret = components['schemas']['SecretSummary']

export const secretsKey = ['secrets'] as const

const columns: readonly Column<Secret>[] = [
  { id: 'name', header: texts.name, sort: 'name', cell: ({ name }) => name },
  {
    id: 'description',
    header: texts.description,
    isWide: true,
    cell: ({ description }) => description ?? '–',
  },
  { id: 'state', header: texts.state, cell: stateOf },
  {
    id: 'expires',
    header: texts.expires,
    sort: 'expiresAt',
    cell: ({ expiresAt }) => (expiresAt === null ? texts.never : <Age value={expiresAt} />),
  },
  {
    id: 'changed',
    header: texts.changed,
    sort: 'updatedAt',
    isWide: true,
    cell: ({ updatedAt }) => <Age value={updatedAt} />,
  },
]

function stateOf({ isActive, expiresAt }: Secret): ReactNode {
  if (!isActive) return <Tone tone="neutral">{texts.inactive}</Tone>
  if (expiresAt !== null && Date.parse(expiresAt) <= Date.now())
    return <Tone tone="bad">{texts.expired}</Tone>
  return <Tone tone="good">{texts.active}</Tone>
}

export function SecretsPage(): ReactNode {
  const { api, may } = useSession()
  const [{ text, sort }, change] = useAddress()
  const [opened, setOpened] = useState<Secret | 'new'>()
  const list = useList<Secret>({
    key: [...secretsKey, text, sort],
    read: (after, signal) =>
      dataOf(
        api.GET('/api/admin/v1/secrets', {
          params: { query: given({ text, sort: sort as undefined, after }) },
          signal,
        }),
      ),
  })
  const close = () => setOpened(undefined)
  const add = may('setSecret') && (
    <Button size="xs" leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setOpened('new')}>
      {texts.add}
    </Button>
  )
  return (
    <Page
      title={texts.title}
      actions={
        <>
          <SearchField label={texts.search} value={text} onChange={(typed) => change({ text: typed })} />
          {add}
        </>
      }
    >
      <ListTable
        label={texts.title}
        list={list}
        columns={columns}
        rowKey={({ name }) => name}
        {...(may('setSecret') && { onOpen: setOpened })}
        sort={sort ?? 'name'}
        onSort={(by) => change({ sort: by })}
        empty={
          text === undefined
            ? { title: texts.emptyTitle, hint: texts.emptyHint, action: add }
            : { title: texts.noneFound, hint: texts.noneFoundHint }
        }
      />
      {opened === 'new' && <AddSecret onClose={close} />}
      {typeof opened === 'object' && <ChangeSecret name={opened.name} onClose={close} />}
    </Page>
  )
}
