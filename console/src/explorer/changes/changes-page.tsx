/** What was added, changed and removed since a token, and the token of now. */
import { Anchor, Button, Code, Group, SegmentedControl, Stack, Table, Text, TextInput } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { dataOf } from '../../api/client.ts'
import { ApiProblem } from '../../api/problem.ts'
import { formatCount } from '../../format/numbers.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Page } from '../../parts/page.tsx'
import { saveFile } from '../../parts/save-file.ts'
import { Section } from '../../parts/section.tsx'
import { ErrorState } from '../../parts/states.tsx'
import { Tone } from '../../parts/tone.tsx'
import { changesTexts as texts } from '../../texts/changes.ts'
import { recordTexts } from '../../texts/records.ts'
import { type ListName, listNames } from '../fields/list-fields.ts'
import { identityPaths } from '../list/columns.ts'
import { recordKey } from '../list/record-key.ts'
import { useSession } from '../session/session.tsx'
import { changesCsv } from './changes-csv.ts'
import { type Change, type Changes, countKinds } from './count-kinds.ts'

/** Lines of the table; the rest is in the download. */
const MOST_SHOWN = 500

const tones = { added: 'good', changed: 'warning', removed: 'bad' } as const

export function ChangesPage(): ReactNode {
  const { api } = useSession()
  const [list, setList] = useState<ListName>('bookings')
  const [token, setToken] = useState('')
  const [state, setState] = useState<{
    readonly changes?: Changes
    readonly failure?: unknown
    readonly since?: string
  }>({})
  const [isBusy, setBusy] = useState(false)
  const asking = useRef<AbortController>(null)
  useEffect(() => () => asking.current?.abort(), [])
  const choose = (name: ListName) => {
    // An answer that is still to come is of another list.
    asking.current?.abort()
    setBusy(false)
    setList(name)
    setState({})
  }
  const ask = async (event: FormEvent) => {
    event.preventDefault()
    const leaving = new AbortController()
    asking.current = leaving
    const { signal } = leaving
    setBusy(true)
    const since = token.trim()
    try {
      const query = since === '' ? { $top: 1 } : { since }
      const data = await dataOf<unknown>(
        api.GET(`/api/v2/${list}/changes`, { params: { query }, signal }) as never,
      )
      const { _meta, [list]: records = [] } = data as {
        readonly _meta: { readonly total: number; readonly token: string }
      } & Partial<Record<ListName, readonly Change[]>>
      setState({ changes: { records, total: _meta.total, token: _meta.token }, since })
    } catch (failure) {
      if (!signal.aborted) setState({ failure })
    } finally {
      if (!signal.aborted) setBusy(false)
    }
  }
  const { changes, failure, since } = state
  return (
    <Page title={texts.title}>
      <Text mb="md" maw="44rem">
        {texts.hint}
      </Text>
      <form onSubmit={(event) => void ask(event)}>
        <Stack gap="sm" align="flex-start" mb="md">
          <SegmentedControl
            aria-label={texts.list}
            data={listNames.map((name) => ({ value: name, label: recordTexts.lists[name] }))}
            value={list}
            onChange={(name) => choose(name as ListName)}
          />
          <TextInput
            label={texts.token}
            description={texts.tokenHint}
            value={token}
            onChange={(event) => setToken(event.currentTarget.value)}
            spellCheck={false}
            autoComplete="off"
            w="36rem"
            maw="100%"
          />
          <Button type="submit" loading={isBusy}>
            {texts.show}
          </Button>
        </Stack>
      </form>
      {failure !== undefined && (
        <ErrorState
          title={texts.failed}
          error={failure instanceof ApiProblem && failure.status === 410 ? new Error(texts.gone) : failure}
        />
      )}
      {changes !== undefined && <ChangesResult list={list} changes={changes} isFirst={since === ''} />}
    </Page>
  )
}

type ResultProps = { readonly list: ListName; readonly changes: Changes; readonly isFirst: boolean }

function ChangesResult({ list, changes, isFirst }: ResultProps): ReactNode {
  const { records, total, token } = changes
  const counts = countKinds(records)
  const shown = isFirst ? [] : records.slice(0, MOST_SHOWN)
  const save = () =>
    saveFile(
      `${list}-changes.csv`,
      new Blob([changesCsv(records, identityPaths[list])], { type: 'text/csv;charset=utf-8' }),
    )
  return (
    <Section title={recordTexts.lists[list]}>
      <Text role="status" fw={600} mb="xs">
        {isFirst
          ? texts.first(formatCount(total))
          : total === 0
            ? texts.none
            : texts.counts(
                formatCount(counts.added),
                formatCount(counts.changed),
                formatCount(counts.removed),
              )}
      </Text>
      <Text size="sm">{texts.next}</Text>
      <Group gap="sm" mb={shown.length > 0 ? 'md' : 0}>
        <Code style={{ overflowWrap: 'anywhere' }}>{token}</Code>
        <CopyButton text={token} label={texts.copyToken} />
      </Group>
      {shown.length > 0 && (
        <>
          <Table fz="sm" aria-label={texts.title}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{texts.kind}</Table.Th>
                <Table.Th>{texts.key}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {shown.map((record) => (
                <Table.Tr key={keyText(list, record)}>
                  <Table.Td>
                    <Tone tone={tones[record._change]}>{texts.kinds[record._change]}</Tone>
                  </Table.Td>
                  <Table.Td>
                    <RecordLink list={list} record={record} />
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
          {shown.length < records.length && (
            <Text size="sm">{texts.shown(formatCount(shown.length), formatCount(records.length))}</Text>
          )}
          <Button variant="default" size="xs" mt="sm" onClick={save}>
            {texts.download}
          </Button>
        </>
      )}
    </Section>
  )
}

const keyText = (list: ListName, record: Change): string =>
  list === 'invoices' ? `${record.company} ${record.invoiceNumber}` : String(record.recordLocator)

type LinkProps = { readonly list: ListName; readonly record: Change }

function RecordLink({ list, record }: LinkProps): ReactNode {
  const text = keyText(list, record)
  if (record._change === 'removed') return text
  return (
    <Anchor
      inherit
      renderRoot={(props) => (
        <Link {...props} to={`/${list}`} search={{ record: recordKey(list, record as never) } as never} />
      )}
    >
      {text}
    </Anchor>
  )
}
