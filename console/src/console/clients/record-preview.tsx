/** The latest records as the client sees them. Nothing is read until the operator asks, because each look is audited. */
import { Button, SegmentedControl, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { components } from '../../../generated/api.d.ts'
import { type Api, dataOf } from '../../api/client.ts'
import { formatCount } from '../../format/numbers.ts'
import { type Column, ListTable } from '../../parts/list-table.tsx'
import { Section } from '../../parts/section.tsx'
import { ErrorState, LoadingState } from '../../parts/states.tsx'
import { Day, LocalTime } from '../../parts/time.tsx'
import { clientTexts as texts } from '../../texts/clients.ts'
import { useSession } from '../session/session.tsx'

type Schemas = components['schemas']
type RecordList = keyof typeof texts.lists

const MOST_SHOWN = 20

const latestFirst: Readonly<Record<RecordList, string>> = {
  bookings: 'bookingDate desc',
  itineraries: 'bookingDate desc',
  invoices: 'invoiceDate desc',
}

const previewOf = (api: Api, number: string, list: RecordList, signal: AbortSignal) =>
  dataOf(
    api.GET('/api/admin/v1/clients/{number}/records/{list}', {
      params: {
        path: { number, list },
        query: { $orderby: latestFirst[list], $page: 1, $pageSize: MOST_SHOWN },
      },
      signal,
    }),
  )

export function RecordPreview({ number }: { readonly number: string }): ReactNode {
  const { api } = useSession()
  const [list, setList] = useState<RecordList>('bookings')
  const preview = useQuery({
    queryKey: ['preview', number, list],
    queryFn: ({ signal }) => previewOf(api, number, list, signal),
    enabled: false,
  })
  return (
    <Section
      title={texts.preview}
      actions={
        <>
          <SegmentedControl
            size="xs"
            aria-label={texts.previewList}
            value={list}
            onChange={(value) => setList(value as RecordList)}
            data={Object.entries(texts.lists).map(([value, label]) => ({ value, label }))}
          />
          <Button
            size="xs"
            variant="default"
            loading={preview.isFetching}
            onClick={() => void preview.refetch()}
          >
            {preview.data === undefined ? texts.show : texts.showAgain}
          </Button>
        </>
      }
    >
      <Text size="sm" c="var(--text-dim)">
        {texts.previewHint}
      </Text>
      {preview.isFetching && preview.data === undefined && <LoadingState />}
      {preview.error !== null && (
        <ErrorState
          title={texts.previewFailed}
          error={preview.error}
          onRetry={() => void preview.refetch()}
        />
      )}
      {preview.data !== undefined && <Records answer={preview.data} />}
    </Section>
  )
}

type PreviewAnswer = Awaited<ReturnType<typeof previewOf>>

function Records({ answer }: { readonly answer: PreviewAnswer }): ReactNode {
  if ('bookings' in answer) {
    return (
      <RecordTable
        label={texts.lists.bookings}
        columns={bookingColumns}
        rows={answer.bookings}
        meta={answer._meta}
        rowKey={({ recordLocator }) => recordLocator}
      />
    )
  }
  if ('itineraries' in answer) {
    return (
      <RecordTable
        label={texts.lists.itineraries}
        columns={itineraryColumns}
        rows={answer.itineraries}
        meta={answer._meta}
        rowKey={({ recordLocator }) => recordLocator}
      />
    )
  }
  if ('invoices' in answer) {
    return (
      <RecordTable
        label={texts.lists.invoices}
        columns={invoiceColumns}
        rows={answer.invoices}
        meta={answer._meta}
        rowKey={({ company, invoiceNumber }) => `${company} ${invoiceNumber}`}
      />
    )
  }
  return null
}

type RecordTableProps<Row> = {
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly meta: Schemas['QueryMeta'] | undefined
  readonly rowKey: (row: Row) => string
}

function RecordTable<Row>({ label, columns, rows, meta, rowKey }: RecordTableProps<Row>): ReactNode {
  const total = meta?.filteredCount ?? rows.length
  return (
    <>
      <Text size="sm" role="status">
        {texts.previewed(formatCount(rows.length), formatCount(total))}
      </Text>
      <ListTable
        label={label}
        list={{
          rows,
          total,
          isLoading: false,
          isLoadingMore: false,
          error: null,
          retry: () => undefined,
          more: undefined,
        }}
        columns={columns}
        rowKey={rowKey}
        empty={{ title: texts.noRecords }}
      />
    </>
  )
}

const labelsText = (labels: Schemas['CustomDataFields']): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}: ${value}`)
    .join(', ')

type Labelled = { readonly customDataFields: Schemas['CustomDataFields'] }

const labelColumn: Column<Labelled> = {
  id: 'labels',
  header: texts.labels,
  isWide: true,
  cell: ({ customDataFields }) => labelsText(customDataFields),
}

const tripColumns: readonly Column<Schemas['Booking']>[] = [
  { id: 'recordLocator', header: texts.recordLocator, cell: ({ recordLocator }) => recordLocator },
  { id: 'bookingDate', header: texts.bookingDate, cell: ({ bookingDate }) => <Day value={bookingDate} /> },
  { id: 'trip', header: texts.trip, cell: ({ tripStartLocal }) => <LocalTime value={tripStartLocal} /> },
]

const bookingColumns: readonly Column<Schemas['Booking']>[] = [
  ...tripColumns,
  {
    id: 'ticketed',
    header: texts.ticketed,
    isWide: true,
    cell: ({ isTicketed }) => (isTicketed ? texts.yes : texts.no),
  },
  labelColumn,
]

const itineraryColumns: readonly Column<Schemas['Itinerary']>[] = [
  ...tripColumns,
  {
    id: 'segments',
    header: texts.segments,
    align: 'right',
    cell: ({ segments }) => formatCount(segments.length),
  },
  labelColumn,
]

const invoiceColumns: readonly Column<Schemas['Invoice']>[] = [
  { id: 'invoiceNumber', header: texts.invoiceNumber, cell: ({ invoiceNumber }) => invoiceNumber },
  { id: 'invoiceDate', header: texts.invoiceDate, cell: ({ invoiceDate }) => <Day value={invoiceDate} /> },
  {
    id: 'recordLocator',
    header: texts.recordLocator,
    isWide: true,
    cell: ({ recordLocator }) => recordLocator ?? '–',
  },
  { id: 'dueDate', header: texts.dueDate, isWide: true, cell: ({ dueDate }) => <Day value={dueDate} /> },
  {
    id: 'lines',
    header: texts.lines,
    align: 'right',
    cell: ({ lineItems }) => formatCount(lineItems.length),
  },
  labelColumn,
]
