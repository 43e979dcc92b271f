/** Charts over the records that match the filter of the list. A click on a category narrows the list to it. */
import { Group as MantineGroup, Select, Text } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo, useState } from 'react'
import { answerOf } from '../../api/client.ts'
import { formatCount, formatMoney, formatRounded } from '../../format/numbers.ts'
import { ChartFrame } from '../../parts/charts/chart-frame.tsx'
import { ErrorState } from '../../parts/states.tsx'
import { insightTexts as texts } from '../../texts/insights.ts'
import { useLabels, useMostUsedLabel } from '../fields/use-labels.ts'
import { filterParameter } from '../query/list-query.ts'
import type { ToolProps } from '../query/toolbar.ts'
import { useSession } from '../session/session.tsx'
import { type ChartQuery, chartsOf, type Group, narrowed } from './chart-queries.ts'
import classes from './charts-panel.module.css'
import { drawnGroups } from './drawn-groups.ts'

export default function ChartsPanel({ query, change }: ToolProps): ReactNode {
  return (
    <div className={classes.panel}>
      <Text size="sm" c="var(--text-dim)">
        {texts.hint}
      </Text>
      <div className={classes.charts}>
        {chartsOf[query.list].map((chart) => (
          <GroupChart key={chart.name} {...{ chart, query, change }} />
        ))}
      </div>
    </div>
  )
}

type Props = Pick<ToolProps, 'query' | 'change'> & { readonly chart: ChartQuery }

const categoryNames = {
  ...{ bookingsPerMonth: texts.month, tripsPerMonth: texts.month, spendPerMonth: texts.month },
  ...{ bookingsByLabel: texts.label, spendByLabel: texts.label, leadTime: texts.leadTime },
  ...{ routes: texts.route, vendors: texts.vendor, lineTypes: texts.lineType },
} as const

const none: readonly Group[] = []

/** More than are drawn: a category has a group for each currency, and what has no amount comes first. */
const MOST_GROUPS = 200

function GroupChart({ chart, query, change }: Props): ReactNode {
  const { api } = useSession()
  const labels = useLabels(query.list)
  const [chosen, setChosen] = useState<string>()
  const mostUsed = useMostUsedLabel(query.list)
  const label = chosen ?? mostUsed.label ?? ''
  const hasNoLabels = chart.usesLabel && mostUsed.label === null
  const isReady = !chart.usesLabel || label !== ''
  const parameters = {
    ...filterParameter(query.filter),
    $apply: chart.apply(label),
    ...(chart.orderby !== undefined && { $orderby: chart.orderby }),
    ...(chart.top !== undefined && { $top: MOST_GROUPS }),
  }
  const groups = useQuery({
    queryKey: ['groups', query.list, parameters],
    queryFn: async ({ signal }) => {
      // The answer to `$apply` has groups in place of records, which the types of the lists do not say.
      const { data } = await answerOf<unknown>(
        api.GET(`/api/v2/${query.list}`, { params: { query: parameters }, signal }) as never,
      )
      const { groups, _meta } = data as {
        readonly groups: readonly Group[]
        readonly _meta: { readonly total: number }
      }
      return { label, groups, total: _meta.total }
    },
    placeholderData: keepPreviousData,
    enabled: isReady,
  })
  const title = texts.charts[chart.name]
  const { total } = groups.data ?? {}
  const drawn = useMemo(
    () => drawnGroups(chart, groups.data?.groups ?? none, categoryNames[chart.name]),
    [chart, groups.data],
  )
  const labelError = chart.usesLabel ? mostUsed.error : null
  const error = labelError ?? (groups.data === undefined ? groups.error : null)
  if (error !== null) {
    const retry = labelError === null ? () => void groups.refetch() : mostUsed.retry
    return (
      <div>
        <ErrorState title={texts.failed(title)} error={error} onRetry={retry} />
      </div>
    )
  }
  if (hasNoLabels) return null
  const { condition } = chart
  const pick = (index: number) => {
    const group = drawn.groups[index]
    if (condition === undefined || group === undefined) return
    // Another label may have been chosen whose groups are not here yet.
    change({ filter: narrowed(query.filter, condition(group, groups.data?.label ?? label)) })
  }
  const note = (
    <MantineGroup gap="xs" wrap="nowrap">
      {chart.usesLabel && (
        <Select
          size="xs"
          aria-label={texts.label}
          data={[...labels]}
          value={label === '' ? null : label}
          onChange={(value) => setChosen(value ?? undefined)}
          searchable
          w="11rem"
        />
      )}
      {drawn.isCut && total !== undefined ? topText(chart, total) : '\u00a0'}
    </MantineGroup>
  )
  return (
    <ChartFrame
      title={title}
      data={drawn.data}
      height={12.5}
      isPending={groups.isPending}
      format={chart.measure === 'amount' ? formatMoney : formatCount}
      axisFormat={formatRounded}
      {...(condition !== undefined && { onPick: pick })}
      {...((chart.usesLabel || chart.top !== undefined) && { note })}
    />
  )
}

/** A group is a category where all are drawn and there is one for each; else nobody has counted them. */
const topText = ({ top = 0, measure, isDrawn }: ChartQuery, groups: number): string =>
  measure === 'count' && isDrawn === undefined
    ? texts.topOf(formatCount(top), formatCount(groups))
    : texts.top(formatCount(top))
