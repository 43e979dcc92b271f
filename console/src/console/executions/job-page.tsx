/** A job that runs many executions again, as it goes on. */
import { Button, Progress, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { answerOf, dataOf } from '../../api/client.ts'
import { formatCount } from '../../format/numbers.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { Fields } from '../../parts/fields.tsx'
import { type Column, ListTable } from '../../parts/list-table.tsx'
import { Page } from '../../parts/page.tsx'
import { Columns, Section } from '../../parts/section.tsx'
import { ErrorState, LoadingState } from '../../parts/states.tsx'
import { Moment } from '../../parts/time.tsx'
import { executionTexts as texts } from '../../texts/executions.ts'
import { useSession } from '../session/session.tsx'
import { StatusTone } from './execution-columns.tsx'
import type { RerunJob } from './execution-queries.ts'

const REFRESH_MS = 1000

type Item = RerunJob['items'][number]

const columns: readonly Column<Item>[] = [
  { id: 'run', header: texts.rerunOf, cell: ({ executionId }) => executionId },
  { id: 'state', header: texts.state, cell: ({ state }) => texts.jobStates[state] },
  {
    id: 'status',
    header: texts.status,
    cell: ({ status }) => (status === null ? '–' : <StatusTone status={status} />),
  },
  { id: 'problem', header: texts.error, isWide: true, cell: ({ problem }) => problem ?? '' },
]

export function JobPage(): ReactNode {
  const { id } = useParams({ strict: false }) as { readonly id: string }
  const { api, may } = useSession()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [isStopping, setStopping] = useState(false)
  const queryKey = ['rerun-job', id]
  const path = { id }
  const job = useQuery({
    queryKey,
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/admin/v1/executions/reruns/{id}', { params: { path }, signal })),
    refetchInterval: ({ state }) => (state.data?.isOpen === false ? false : REFRESH_MS),
  })
  if (job.data === undefined) {
    if (job.error === null) return <LoadingState />
    return <ErrorState title={texts.notFound} error={job.error} onRetry={() => void job.refetch()} />
  }
  const { isOpen, total, done, failed, skipped, interrupted, stopped, requestedBy, requestedAt, items } =
    job.data
  const over = done + skipped + interrupted + stopped
  const stop = async () => {
    await answerOf(api.POST('/api/admin/v1/executions/reruns/{id}/stop', { params: { path } }))
    await queries.invalidateQueries({ queryKey })
  }
  return (
    <Page
      title={texts.jobTitle}
      note={isOpen ? texts.jobOpen : texts.jobEnded}
      actions={
        isOpen &&
        may('stopRerunJob') && (
          <Button size="xs" variant="default" c="var(--tone-bad)" onClick={() => setStopping(true)}>
            {texts.jobStop}
          </Button>
        )
      }
    >
      <Columns>
        <Section title={texts.jobTitle}>
          <Text role="status">{texts.jobProgress(formatCount(over), formatCount(total))}</Text>
          <Progress
            value={total === 0 ? 100 : (100 * over) / total}
            aria-label={texts.jobProgress(formatCount(over), formatCount(total))}
            my="sm"
          />
          <Fields
            fields={[
              [texts.jobFailed, formatCount(failed)],
              [texts.jobSkipped, formatCount(skipped)],
              [texts.jobInterrupted, formatCount(interrupted)],
              [texts.jobStopped, formatCount(stopped)],
              [texts.jobBy, requestedBy],
              [texts.jobAt, <Moment key="at" value={requestedAt} />],
            ]}
          />
        </Section>
      </Columns>
      <ListTable
        label={texts.jobTitle}
        list={{
          rows: items,
          total: items.length,
          ...{ isLoading: false, isLoadingMore: false, error: null, more: undefined },
          retry: () => undefined,
        }}
        columns={columns}
        rowKey={({ executionId }) => executionId}
        onOpen={({ rerunId, executionId }) => void navigate({ to: `/executions/${rerunId ?? executionId}` })}
        empty={{ title: texts.nothingMatches }}
      />
      <ConfirmDialog
        isOpen={isStopping}
        title={texts.jobStopTitle}
        action={texts.jobStop}
        isDangerous
        onConfirm={stop}
        onClose={() => setStopping(false)}
      >
        <Text>{texts.jobStopText}</Text>
      </ConfirmDialog>
    </Page>
  )
}
