/** One run: what was asked, what was answered, what it wrote and cost; it can be run again. */
import { Button, Radio, Stack, Table, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { dataOf } from '../../api/client.ts'
import { formatCount, formatDuration } from '../../format/numbers.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { type Field, Fields } from '../../parts/fields.tsx'
import { Identifier } from '../../parts/identifier.tsx'
import { Page } from '../../parts/page.tsx'
import { useIdempotencyKey } from '../../parts/resource/use-idempotency-key.ts'
import { Columns, Section } from '../../parts/section.tsx'
import { ErrorState, LoadingState } from '../../parts/states.tsx'
import { TextLink } from '../../parts/text-link.tsx'
import { Moment } from '../../parts/time.tsx'
import { executionTexts as texts } from '../../texts/executions.ts'
import { useSession } from '../session/session.tsx'
import { StatusTone } from './execution-columns.tsx'
import { ExecutionNotepads } from './execution-notepads.tsx'
import { type Execution, executionsKey } from './execution-queries.ts'
import classes from './executions.module.css'
import { numbered } from './numbered.ts'
import { RecordedBody } from './recorded-body.tsx'

export function ExecutionPage(): ReactNode {
  const { id } = useParams({ strict: false }) as { readonly id: string }
  const { api, may } = useSession()
  const [isAsking, setAsking] = useState(false)
  const query = useQuery({
    queryKey: ['execution', id],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/admin/v1/executions/{id}', { params: { path: { id } }, signal })),
  })
  if (query.data === undefined) {
    if (query.error === null) return <LoadingState />
    return <ErrorState title={texts.notFound} error={query.error} onRetry={() => void query.refetch()} />
  }
  const execution = query.data
  const { request, response, log, endpointName, status } = execution
  return (
    <Page
      title={endpointName}
      note={<StatusTone status={status} />}
      actions={
        may('rerunExecution') &&
        status !== 'Refused' && (
          <Button size="xs" onClick={() => setAsking(true)}>
            {texts.rerun}
          </Button>
        )
      }
    >
      {execution.recorded !== 'full' && (
        <Text mb="sm">{execution.recorded === 'none' ? texts.recordedNone : texts.recordedMetadata}</Text>
      )}
      <Section title={texts.summary}>
        <Fields fields={summaryOf(execution)} />
      </Section>
      <Columns>
        <Section title={texts.request}>
          <Text className={classes.log} mb="xs">
            {request.method} {request.path}
            {request.queryString !== '' && `?${request.queryString.replace(/^\?/, '')}`}
          </Text>
          <Pairs label={texts.parameters} values={request.params} />
          <Pairs label={texts.headers} values={request.headers} />
          <RecordedBody
            body={request.body}
            isTruncated={request.truncated}
            label={`${texts.request} ${texts.body}`}
          />
        </Section>
        <Section title={texts.response}>
          <Text className={classes.log} mb="xs">
            {response.status}
          </Text>
          <Pairs label={texts.headers} values={response.headers} />
          <RecordedBody
            body={response.body}
            isTruncated={response.truncated}
            label={`${texts.response} ${texts.body}`}
          />
        </Section>
      </Columns>
      <Section title={texts.log}>
        {log.length === 0 ? (
          <Text c="var(--text-dim)">{texts.noLog}</Text>
        ) : (
          <Table className={classes.log} aria-label={texts.log}>
            <Table.Tbody>
              {numbered(log).map(({ number, time, level, message }) => (
                <Table.Tr key={number}>
                  <Table.Td>
                    <Moment value={time} />
                  </Table.Td>
                  <Table.Td>{level}</Table.Td>
                  <Table.Td>{message}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        )}
      </Section>
      {may('listExecutionNotepads') && <ExecutionNotepads id={id} />}
      {isAsking && <RerunDialog id={id} onClose={() => setAsking(false)} />}
    </Page>
  )
}

function summaryOf(execution: Execution): readonly Field[] {
  const { error, sent, rerunOf, cancellationReason } = execution
  const link = (to: string, text: ReactNode) => <TextLink to={to}>{text}</TextLink>
  return [
    ...(error === null
      ? []
      : [
          [
            texts.error,
            `${error.code} ${error.message}${error.line === null ? '' : ` (${texts.errorAt(error.line, error.column)})`}`,
          ] as const,
        ]),
    ...(cancellationReason === null ? [] : [[texts.cancellationReason, cancellationReason] as const]),
    [texts.endpoint, link(`/endpoints/${execution.endpointId}`, execution.endpointName)],
    [texts.version, execution.version],
    [texts.type, texts.types[execution.type]],
    ...(rerunOf === null ? [] : [[texts.rerunOf, link(`/executions/${rerunOf}`, rerunOf)] as const]),
    [texts.caller, execution.principalId ?? texts.anonymous],
    [texts.started, <Moment key="started" value={execution.startedAt} />],
    [texts.queued, formatDuration(execution.queuedMs)],
    [texts.duration, formatDuration(execution.executionTimeMs)],
    [texts.statements, formatCount(execution.statementCount)],
    [texts.loops, formatCount(execution.loopCount)],
    ...(sent.httpRequests > 0 ? [[texts.sentRequests, formatCount(sent.httpRequests)] as const] : []),
    ...(sent.mails > 0 ? [[texts.sentMails, formatCount(sent.mails)] as const] : []),
    [
      texts.requestId,
      execution.requestId && (
        <Identifier key="requestId" name={texts.requestId} value={execution.requestId} />
      ),
    ],
    [texts.id, <Identifier key="id" name={texts.id} value={execution.id} />],
  ]
}

type PairsProps = { readonly label: string; readonly values: Readonly<Record<string, string>> }

function Pairs({ label, values }: PairsProps): ReactNode {
  const pairs = Object.entries(values)
  if (pairs.length === 0) return null
  return (
    <Stack gap={2} mb="sm">
      <Text size="sm" fw={600}>
        {label}
      </Text>
      <Fields fields={pairs} />
    </Stack>
  )
}

type RerunProps = { readonly id: string; readonly onClose: () => void }

type Version = keyof typeof texts.versions

function RerunDialog({ id, onClose }: RerunProps): ReactNode {
  const { api } = useSession()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const keyFor = useIdempotencyKey()
  const [version, setVersion] = useState<Version>('original')
  const rerun = async () => {
    const { execution } = await dataOf(
      api.POST('/api/admin/v1/executions/{id}/rerun', {
        params: { path: { id }, header: { 'idempotency-key': keyFor(version) } },
        body: { version },
      }),
    )
    await queries.invalidateQueries({ queryKey: executionsKey })
    if (execution !== null) void navigate({ to: `/executions/${execution.id}` })
  }
  return (
    <ConfirmDialog isOpen title={texts.rerunTitle} action={texts.rerun} onConfirm={rerun} onClose={onClose}>
      <Text>{texts.rerunText}</Text>
      <Radio.Group
        label={texts.rerunVersion}
        value={version}
        onChange={(chosen) => setVersion(chosen as Version)}
      >
        <Stack gap={4} mt={4}>
          {Object.entries(texts.versions).map(([value, label]) => (
            <Radio key={value} value={value} label={label} />
          ))}
        </Stack>
      </Radio.Group>
    </ConfirmDialog>
  )
}
