/** Executions as rows. */
import { formatCount, formatDuration } from '../../format/numbers.ts'
import type { Column } from '../../parts/list-table.tsx'
import { Age } from '../../parts/time.tsx'
import { Tone } from '../../parts/tone.tsx'
import type { ToneName } from '../../parts/tone-name.ts'
import { executionTexts as texts } from '../../texts/executions.ts'
import type { ExecutionSummary } from './execution-queries.ts'

type Status = ExecutionSummary['status']

const tones: Readonly<Record<Status, ToneName>> = {
  ...{ Success: 'good', Failed: 'bad', Cancelled: 'warning', Refused: 'neutral' },
}

export const StatusTone = ({ status }: { readonly status: Status }) => (
  <Tone tone={tones[status]}>{texts.statuses[status]}</Tone>
)

export const executionColumns: readonly Column<ExecutionSummary>[] = [
  {
    id: 'started',
    header: texts.started,
    sort: 'startedAt',
    cell: ({ startedAt }) => <Age value={startedAt} />,
  },
  { id: 'endpoint', header: texts.endpoint, cell: ({ endpointName }) => endpointName },
  {
    id: 'status',
    header: texts.status,
    cell: ({ status, requestCount }) => (
      <>
        <StatusTone status={status} />
        {requestCount > 1 && ` ${texts.times(formatCount(requestCount))}`}
      </>
    ),
  },
  {
    id: 'http',
    header: texts.http,
    align: 'right',
    isWide: true,
    cell: ({ responseStatus }) => responseStatus,
  },
  {
    id: 'duration',
    header: texts.duration,
    sort: 'executionTimeMs',
    align: 'right',
    cell: ({ executionTimeMs }) => formatDuration(executionTimeMs),
  },
  { id: 'type', header: texts.type, isWide: true, cell: ({ type }) => texts.types[type] },
  {
    id: 'caller',
    header: texts.caller,
    isWide: true,
    cell: ({ principalId }) => principalId ?? texts.anonymous,
  },
  { id: 'error', header: texts.error, isWide: true, cell: ({ errorMessage }) => errorMessage ?? '' },
]
