/** How often an endpoint ran, how the runs ended and how long they took. */
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { dataOf } from '../../../api/client.ts'
import { formatCount, formatDuration, formatShare } from '../../../format/numbers.ts'
import { Fields } from '../../../parts/fields.tsx'
import { Section } from '../../../parts/section.tsx'
import { EmptyState, ErrorState, LoadingState } from '../../../parts/states.tsx'
import { TextLink } from '../../../parts/text-link.tsx'
import { Age } from '../../../parts/time.tsx'
import { endpointTexts } from '../../../texts/scripts/endpoints.ts'
import { ExecutionFigures } from '../../executions/execution-figures.tsx'
import { useSession } from '../../session/session.tsx'

const texts = endpointTexts.statistics

export function StatisticsTab({ id }: { readonly id: string }): ReactNode {
  const { api, may } = useSession()
  const query = useQuery({
    queryKey: ['endpoint-statistics', id],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/api/admin/v1/executions/statistics', { params: { query: { endpointId: id } }, signal }),
      ),
  })
  if (query.error !== null) {
    return <ErrorState title={texts.failed} error={query.error} onRetry={() => void query.refetch()} />
  }
  if (query.data === undefined) return <LoadingState />
  const [all] = query.data.items
  if (all === undefined) return <EmptyState title={texts.none} hint={texts.noneHint} />
  return (
    <>
      <Section
        title={texts.title}
        actions={
          <TextLink to="/executions" search={{ endpointId: id }}>
            {texts.toRuns}
          </TextLink>
        }
      >
        <Fields
          fields={[
            [texts.runs, formatCount(all.runs)],
            [texts.succeeded, `${formatCount(all.succeeded)} (${formatShare(all.successRate)})`],
            [texts.unsuccessful, formatCount(all.failed)],
            [texts.cancelled, formatCount(all.cancelled)],
            [texts.mean, formatDuration(all.meanExecutionTimeMs)],
            [texts.longest, formatDuration(all.maxExecutionTimeMs)],
            [texts.statements, formatCount(all.meanStatementCount)],
            [texts.last, <Age key="last" value={all.lastRunAt} />],
          ]}
        />
      </Section>
      {may('getExecutionSeries') && <ExecutionFigures endpointId={id} />}
    </>
  )
}
