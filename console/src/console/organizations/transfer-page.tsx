/** Import of organizations and persons from CSV, after a look at what it would do; and their export. */
import { Button, FileInput, Group, Stack, Table, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { paths } from '../../../generated/api.d.ts'
import { answerOf, dataOf } from '../../api/client.ts'
import { formatCount } from '../../format/numbers.ts'
import { Page } from '../../parts/page.tsx'
import { FailureNote } from '../../parts/resource/failure-note.tsx'
import { useIdempotencyKey } from '../../parts/resource/use-idempotency-key.ts'
import { saveFile } from '../../parts/save-file.ts'
import { Section } from '../../parts/section.tsx'
import { transferTexts as texts } from '../../texts/transfer.ts'
import { useSession } from '../session/session.tsx'

type Report = paths['/api/admin/v1/directory/import']['post']['responses'][200]['content']['application/json']

export function TransferPage(): ReactNode {
  const { may } = useSession()
  return (
    <Page title={texts.title}>
      {may('exportDirectory') && <Export />}
      {may('importDirectory') && <Import />}
    </Page>
  )
}

function Export(): ReactNode {
  const { api } = useSession()
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<unknown>()
  const download = async () => {
    setBusy(true)
    setFailure(undefined)
    try {
      const { data } = await answerOf(api.GET('/api/admin/v1/directory/export', { parseAs: 'blob' }))
      saveFile('directory.csv', data as unknown as Blob)
    } catch (cause) {
      setFailure(cause)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Section title={texts.exportTitle}>
      <Stack gap="sm" align="flex-start">
        <Text>{texts.exportHint}</Text>
        {failure !== undefined && <FailureNote failure={failure} onLoaded={() => setFailure(undefined)} />}
        <Button variant="default" loading={isBusy} onClick={download}>
          {texts.exportAction}
        </Button>
      </Stack>
    </Section>
  )
}

function Import(): ReactNode {
  const { api } = useSession()
  const queries = useQueryClient()
  const keyFor = useIdempotencyKey()
  const [file, setFile] = useState<File | null>(null)
  const [report, setReport] = useState<Report>()
  const [failure, setFailure] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const send = async (dryRun: boolean) => {
    if (file === null) return
    setBusy(true)
    setFailure(undefined)
    try {
      const body = { csv: await file.text(), dryRun }
      const params = dryRun ? {} : { header: { 'idempotency-key': keyFor(body) } }
      setReport(await dataOf(api.POST('/api/admin/v1/directory/import', { params, body })))
      if (!dryRun) await queries.invalidateQueries()
    } catch (cause) {
      setReport(undefined)
      setFailure(cause)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Section title={texts.importTitle}>
      <Stack gap="sm" align="flex-start">
        <Text>{texts.importHint}</Text>
        <FileInput
          label={texts.file}
          placeholder={texts.choose}
          accept="text/csv,.csv"
          value={file}
          onChange={(chosen) => {
            setFile(chosen)
            setReport(undefined)
            setFailure(undefined)
          }}
          w="20rem"
          maw="100%"
        />
        <Group>
          <Button variant="default" disabled={file === null} loading={isBusy} onClick={() => void send(true)}>
            {texts.check}
          </Button>
          {report?.dryRun === true && (
            <Button loading={isBusy} onClick={() => void send(false)}>
              {texts.apply(formatCount(report.total))}
            </Button>
          )}
        </Group>
        {failure !== undefined && (
          <>
            <Text fw={600}>{texts.refused}</Text>
            <FailureNote failure={failure} onLoaded={() => setFailure(undefined)} />
          </>
        )}
        {report !== undefined && <ImportReport report={report} />}
      </Stack>
    </Section>
  )
}

function ImportReport({ report }: { readonly report: Report }): ReactNode {
  const { dryRun, organizations, persons, rows, total } = report
  return (
    <Stack gap="xs" role="status" w="100%">
      <Text fw={600}>{dryRun ? texts.dryRun : texts.done}</Text>
      {(
        [
          ['Organization', organizations],
          ['Person', persons],
        ] as const
      ).map(([kind, counts]) => (
        <Text key={kind}>
          {texts.summary(
            texts.resources[kind],
            formatCount(counts.created),
            formatCount(counts.changed),
            formatCount(counts.unchanged),
          )}
        </Text>
      ))}
      <Table.ScrollContainer minWidth={480}>
        <Table fz="sm" aria-label={texts.importTitle}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{texts.line}</Table.Th>
              <Table.Th>{texts.resource}</Table.Th>
              <Table.Th>{texts.name}</Table.Th>
              <Table.Th>{texts.outcome}</Table.Th>
              <Table.Th>{texts.members}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((row) => (
              <Table.Tr key={row.line}>
                <Table.Td>{row.line}</Table.Td>
                <Table.Td>{texts.resources[row.resource]}</Table.Td>
                <Table.Td>{row.name}</Table.Td>
                <Table.Td>{texts.outcomes[row.outcome]}</Table.Td>
                <Table.Td>{row.members.join(', ')}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {rows.length < total && (
        <Text size="sm">{texts.firstRows(formatCount(rows.length), formatCount(total))}</Text>
      )}
    </Stack>
  )
}
