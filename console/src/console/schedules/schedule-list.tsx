/** Schedules with their next and last runs; each can be run now, paused and resumed. */
import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { dataOf } from '../../api/client.ts'
import { type Column, ListTable } from '../../parts/list-table.tsx'
import { TextLink } from '../../parts/text-link.tsx'
import { Age, Moment } from '../../parts/time.tsx'
import { Tone } from '../../parts/tone.tsx'
import { useList } from '../../parts/use-list.ts'
import { scheduleTexts as texts } from '../../texts/scripts/schedules.ts'
import type { Schedule } from '../scripting/definition-types.ts'
import { useSession } from '../session/session.tsx'
import { ScheduleActions } from './schedule-actions.tsx'

type Props = {
  /** Only those of one endpoint. */
  readonly endpointId?: string
  readonly text?: string | undefined
  readonly state?: string | undefined
  readonly isFailing?: boolean
  readonly sort?: string | undefined
  readonly onSort?: (sort: string) => void
}

/** Runs begin and end by themselves. */
const REFETCH_MS = 10_000

export function ScheduleList(props: Props): ReactNode {
  const { endpointId, text, state, isFailing = false, sort = 'endpointName', onSort } = props
  const { api } = useSession()
  const query = { endpointId, text, state, ...(isFailing && { failing: true }), sort }
  const list = useList<Schedule>({
    key: ['schedules', query],
    refetchMs: REFETCH_MS,
    read: (after, signal) =>
      dataOf(api.GET('/api/admin/v1/schedules', { params: { query: { ...query, after } as never }, signal })),
  })
  const isFiltered = text !== undefined || state !== undefined || isFailing
  return (
    <ListTable
      label={texts.title}
      list={list}
      columns={endpointId === undefined ? allColumns : columns}
      rowKey={(row) => `${row.endpointId}/${row.name}`}
      sort={sort}
      {...(onSort !== undefined && { onSort })}
      empty={
        isFiltered
          ? { title: texts.noneFound, hint: texts.noneFoundHint }
          : { title: texts.none, hint: texts.noneHint }
      }
    />
  )
}

const endpointColumn: Column<Schedule> = {
  id: 'endpoint',
  header: texts.columns.endpoint,
  sort: 'endpointName',
  cell: ({ endpointId, endpointName, name }) => (
    <>
      <TextLink to={`/endpoints/${endpointId}`}>{endpointName}</TextLink>
      <div className="narrow-only">{name}</div>
    </>
  ),
}

const columns: readonly Column<Schedule>[] = [
  { id: 'name', header: texts.columns.name, sort: 'name', cell: ({ name }) => name },
  {
    id: 'when',
    header: texts.columns.when,
    isWide: true,
    cell: ({ cron, timeZone }) => `${cron} ${timeZone}`,
  },
  { id: 'state', header: texts.columns.state, cell: (schedule) => <State schedule={schedule} /> },
  {
    id: 'next',
    header: texts.columns.next,
    sort: 'nextRunAt',
    isWide: true,
    cell: ({ nextRunAt }) => <Moment value={nextRunAt} />,
  },
  {
    id: 'last',
    header: texts.columns.last,
    sort: 'lastRunAt',
    isWide: true,
    cell: ({ lastRun }) => (lastRun === null ? texts.never : <LastRun run={lastRun} />),
  },
  {
    id: 'actions',
    header: '',
    align: 'right',
    cell: (schedule) => <ScheduleActions schedule={schedule} />,
  },
]

const allColumns: readonly Column<Schedule>[] = [
  endpointColumn,
  ...columns.map((column) => (column.id === 'name' ? { ...column, isWide: true as const } : column)),
]

function State({
  schedule: { state, openRuns, failuresInARow },
}: {
  readonly schedule: Schedule
}): ReactNode {
  const tone = failuresInARow > 0 ? 'bad' : state === 'Active' ? 'good' : 'neutral'
  return (
    <>
      <Tone tone={tone}>
        {failuresInARow > 0
          ? `${texts.states[state]}, ${texts.failures(failuresInARow)}`
          : texts.states[state]}
      </Tone>
      {openRuns.length > 0 && (
        <Text size="xs" c="var(--text-dim)">
          {texts.openRuns(openRuns.length)}
        </Text>
      )}
    </>
  )
}

const LastRun = ({ run }: { readonly run: NonNullable<Schedule['lastRun']> }): ReactNode => (
  <Tone tone={run.status === 'Success' ? 'good' : 'bad'}>
    <TextLink to={`/executions/${run.executionId}`}>{run.status}</TextLink> <Age value={run.startedAt} />
  </Tone>
)
