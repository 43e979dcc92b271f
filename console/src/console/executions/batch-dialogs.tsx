/** What is done with all runs that a filter chooses: first it is counted, then one decides. */
import { NumberInput, Radio, Stack, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { dataOf } from '../../api/client.ts'
import { formatCount } from '../../format/numbers.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { FailureNote } from '../../parts/resource/failure-note.tsx'
import { useIdempotencyKey } from '../../parts/resource/use-idempotency-key.ts'
import { LoadingState } from '../../parts/states.tsx'
import { executionTexts as texts } from '../../texts/executions.ts'
import { useSession } from '../session/session.tsx'
import { executionsKey, type Filter } from './execution-queries.ts'

type Version = keyof typeof texts.versions

const MOST_RUNS = 100

type RerunProps = {
  readonly filter: Filter
  /** Is told the id of the job. */
  readonly onStarted: (id: string) => void
  readonly onClose: () => void
}

export function RerunAll({ filter, onStarted, onClose }: RerunProps): ReactNode {
  const { api } = useSession()
  const keyFor = useIdempotencyKey()
  const [version, setVersion] = useState<Version>('original')
  const [limit, setLimit] = useState(MOST_RUNS)
  const plan = useQuery({
    queryKey: [...executionsKey, 'rerun-plan', filter, limit],
    queryFn: ({ signal }) =>
      dataOf(api.POST('/api/admin/v1/executions/rerun', { body: { filter, limit, dryRun: true }, signal })),
    gcTime: 0,
  })
  const start = async () => {
    const body = { filter, limit, version, dryRun: false }
    const { job } = await dataOf(
      api.POST('/api/admin/v1/executions/rerun', {
        params: { header: { 'idempotency-key': keyFor(body) } },
        body,
      }),
    )
    if (job !== null) onStarted(job.id)
  }
  const { data } = plan
  return (
    <ConfirmDialog
      isOpen
      title={texts.rerunAllTitle}
      action={texts.rerunAllAction(formatCount(data?.chosen ?? 0))}
      isReady={(data?.chosen ?? 0) > 0}
      onConfirm={start}
      onClose={onClose}
    >
      <Text>{texts.rerunText}</Text>
      <NumberInput
        label={texts.mostRuns}
        min={1}
        max={10_000}
        value={limit}
        onChange={(value) => setLimit(Math.max(1, Number(value) || 1))}
      />
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
      {plan.error !== null && <FailureNote failure={plan.error} onLoaded={() => undefined} />}
      {data === undefined && plan.error === null && <LoadingState />}
      {data !== undefined && (
        <Stack gap={4} role="status">
          <Text fw={600}>
            {texts.rerunAllCounted(formatCount(data.chosen), countOf(data.total, data.totalIsExact))}
          </Text>
          <Text size="sm">
            {texts.leftOut(
              formatCount(data.leftOut.trials),
              formatCount(data.leftOut.refused),
              formatCount(data.leftOut.reruns),
            )}
          </Text>
          {data.repeatedBefore > 0 && (
            <Text size="sm">{texts.repeatedBefore(formatCount(data.repeatedBefore))}</Text>
          )}
        </Stack>
      )}
    </ConfirmDialog>
  )
}

const countOf = (total: number, isExact: boolean): string =>
  isExact ? formatCount(total) : texts.atLeast(formatCount(total))

type DeleteProps = { readonly filter: Filter; readonly onClose: () => void }

export function DeleteAll({ filter, onClose }: DeleteProps): ReactNode {
  const { api } = useSession()
  const queries = useQueryClient()
  const count = useQuery({
    queryKey: [...executionsKey, 'delete-plan', filter],
    queryFn: ({ signal }) =>
      dataOf(
        api.DELETE('/api/admin/v1/executions', { params: { query: { ...filter, dryRun: true } }, signal }),
      ),
    gcTime: 0,
  })
  const remove = async () => {
    // One answer deletes a part, so that no request lasts for minutes.
    let more = true
    while (more) {
      const answer = await dataOf(
        api.DELETE('/api/admin/v1/executions', { params: { query: { ...filter, dryRun: false } } }),
      )
      more = answer.more && answer.deleted > 0
    }
    await queries.invalidateQueries({ queryKey: executionsKey })
  }
  const { data } = count
  return (
    <ConfirmDialog
      isOpen
      title={texts.removeTitle}
      action={texts.removeAction(formatCount(data?.total ?? 0))}
      isDangerous
      isReady={(data?.total ?? 0) > 0}
      onConfirm={remove}
      onClose={onClose}
    >
      {count.error !== null && <FailureNote failure={count.error} onLoaded={() => undefined} />}
      {data === undefined && count.error === null && <LoadingState />}
      {data !== undefined && (
        <Text role="status">
          {data.total === 0
            ? texts.nothingMatches
            : texts.removeCounted(countOf(data.total, data.totalIsExact))}
        </Text>
      )}
    </ConfirmDialog>
  )
}
