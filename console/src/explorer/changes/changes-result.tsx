/** The table of what was added, changed and removed, its download, and the token of now. */
import { Anchor, Button, Code, Group, Table, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { formatMoment } from '../../format/dates.ts'
import { formatCount } from '../../format/numbers.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { saveFile } from '../../parts/save-file.ts'
import { Section } from '../../parts/section.tsx'
import { Tone } from '../../parts/tone.tsx'
import { changesTexts as texts } from '../../texts/changes.ts'
import { recordTexts } from '../../texts/records.ts'
import type { ListName } from '../fields/list-fields.ts'
import { identityPaths } from '../list/columns.ts'
import { recordKey } from '../list/record-key.ts'
import { changesCsv } from './changes-csv.ts'
import { type Change, type Changes, countKinds } from './count-kinds.ts'

/** Lines of the table; the rest is in the download. */
const MOST_SHOWN = 500

const tones = { added: 'good', changed: 'warning', removed: 'bad' } as const

type ResultProps = {
  readonly list: ListName
  readonly changes: Changes
  /** Whether it is the first question, of which only the token is of interest. */
  readonly isFirst: boolean
  /** RFC 3339; undefined for a question with a token. */
  readonly moment: string | undefined
}

export function ChangesResult({ list, changes, isFirst, moment }: ResultProps): ReactNode {
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
      {moment !== undefined && <Text size="sm">{texts.sinceMoment(formatMoment(moment))}</Text>}
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
