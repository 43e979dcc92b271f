/** The rejected rows of a snapshot, or of the latest refused refresh: `last-refusal` in the place of an id. */
import { Button, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { IconDownload } from '@tabler/icons-react'
import { useParams } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { type Api, answerOf, dataOf } from '../../api/client.ts'
import { given } from '../../api/given.ts'
import { FilterRow } from '../../parts/filters/filter-row.tsx'
import { type Column, ListTable } from '../../parts/list-table.tsx'
import { Page } from '../../parts/page.tsx'
import { saveFile } from '../../parts/save-file.ts'
import { TextLink } from '../../parts/text-link.tsx'
import { useAddress } from '../../parts/use-address.ts'
import { useList } from '../../parts/use-list.ts'
import { refreshTexts, rejectTexts as texts } from '../../texts/snapshots.ts'
import { useSession } from '../session/session.tsx'
import type { Reject } from './refresh-queries.ts'

const LAST_REFUSAL = 'last-refusal'

type Filter = { readonly table?: string; readonly rule?: string; readonly client?: string }

const columns: readonly Column<Reject>[] = [
  { id: 'table', header: texts.table, cell: ({ table }) => table },
  { id: 'place', header: texts.place, cell: ({ file, row }) => refreshTexts.place(file, row) },
  { id: 'rule', header: texts.rule, cell: ({ rule }) => rule },
  { id: 'field', header: texts.field, isWide: true, cell: ({ field }) => field ?? '–' },
  { id: 'value', header: texts.value, isWide: true, cell: ({ value }) => value ?? '–' },
  { id: 'message', header: texts.message, cell: ({ message }) => message },
  { id: 'client', header: texts.client, isWide: true, cell: ({ client }) => client ?? '–' },
  { id: 'key', header: texts.key, isWide: true, cell: ({ key }) => keyText(key) },
]

const keyText = (key: Reject['key']): string =>
  key === null
    ? '–'
    : Object.entries(key)
        .map(([name, value]) => `${name}: ${value ?? '–'}`)
        .join(', ')

export function RejectsPage(): ReactNode {
  const { id } = useParams({ strict: false }) as { readonly id: string }
  const { api, may } = useSession()
  const [{ table, rule, client }, change] = useAddress()
  const filter: Filter = given({ table, rule, client })
  const list = useList<Reject>({
    key: ['rejects', id, table, rule, client],
    read: (after, signal) => firstPageWithRows(api, id, filter, after, signal),
  })
  return (
    <Page
      title={texts.title}
      note={
        id === LAST_REFUSAL ? (
          texts.ofRefusal
        ) : (
          <>
            {texts.ofSnapshot} <TextLink to={`/snapshots/${id}`}>{id}</TextLink>
          </>
        )
      }
      actions={
        may('downloadRejects') && (
          <>
            <SaveButton format="csv" label={texts.saveCsv} id={id} filter={filter} />
            <SaveButton format="ndjson" label={texts.saveNdjson} id={id} filter={filter} />
          </>
        )
      }
    >
      <FilterRow>
        <Filter label={texts.tableFilter} value={table} onChange={(text) => change({ table: text })} />
        <Filter label={texts.ruleFilter} value={rule} onChange={(text) => change({ rule: text })} />
        <Filter label={texts.clientFilter} value={client} onChange={(text) => change({ client: text })} />
      </FilterRow>
      <ListTable
        label={texts.title}
        list={list}
        columns={columns}
        rowKey={({ file, row, rule: broken, field }) => `${file} ${row} ${broken} ${field}`}
        empty={{ title: texts.emptyTitle, hint: texts.emptyHint }}
      />
    </Page>
  )
}

type RejectPage = { readonly items: readonly Reject[]; readonly next: string | null }

/** With a filter the service may answer pages without rows before the last one. */
async function firstPageWithRows(
  api: Api,
  id: string,
  filter: Filter,
  first: string | undefined,
  signal: AbortSignal,
): Promise<RejectPage> {
  for (let after = first; ; ) {
    const query = given({ ...filter, after })
    const page: RejectPage = await dataOf(
      id === LAST_REFUSAL
        ? api.GET('/api/admin/v1/snapshots/last-refusal/rejects', { params: { query }, signal })
        : api.GET('/api/admin/v1/snapshots/{id}/rejects', { params: { path: { id }, query }, signal }),
    )
    if (page.items.length > 0 || page.next === null) return page
    after = page.next
  }
}

type FilterProps = {
  readonly label: string
  readonly value: string | undefined
  readonly onChange: (text: string) => void
}

function Filter({ label, value = '', onChange }: FilterProps): ReactNode {
  const [typed, setTyped] = useState(value)
  const send = useDebouncedCallback(onChange, 300)
  return (
    <TextInput
      size="xs"
      w="12rem"
      placeholder={label}
      aria-label={label}
      value={typed}
      onChange={(event) => {
        setTyped(event.currentTarget.value)
        send(event.currentTarget.value.trim())
      }}
    />
  )
}

type SaveProps = {
  readonly format: 'csv' | 'ndjson'
  readonly label: string
  readonly id: string
  readonly filter: Filter
}

function SaveButton({ format, label, id, filter }: SaveProps): ReactNode {
  const { api } = useSession()
  const [isSaving, setSaving] = useState(false)
  const save = async () => {
    setSaving(true)
    const request = { query: { ...filter, format } }
    try {
      const { data } = await answerOf(
        id === LAST_REFUSAL
          ? api.GET('/api/admin/v1/snapshots/last-refusal/rejects/file', { params: request, parseAs: 'blob' })
          : api.GET('/api/admin/v1/snapshots/{id}/rejects/file', {
              params: { path: { id }, ...request },
              parseAs: 'blob',
            }),
      )
      saveFile(`rejects-${id}.${format}`, data)
    } catch (cause) {
      const message = cause instanceof Error ? cause.message : String(cause)
      notifications.show({ color: 'red', title: texts.saveFailed, message })
    } finally {
      setSaving(false)
    }
  }
  return (
    <Button
      size="xs"
      variant="default"
      loading={isSaving}
      leftSection={<IconDownload size={16} aria-hidden />}
      onClick={() => void save()}
    >
      {label}
    </Button>
  )
}
