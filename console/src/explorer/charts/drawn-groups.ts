/**
 * Groups of the API as a chart: a category each, and a series for each currency. The currency with the largest amounts comes
 * first, so that it has the same colour in all charts. A group without an amount is not drawn.
 */
import type { ChartData } from '../../parts/charts/chart-data.ts'
import { insightTexts as texts } from '../../texts/insights.ts'
import { type ChartQuery, type Group, type LeadTime, leadTimeNames } from './chart-queries.ts'

export type DrawnGroups = {
  readonly data: ChartData
  /** Of each category, a group that has it. */
  readonly groups: readonly Group[]
  /** Whether only the largest of the categories are drawn. */
  readonly isCut: boolean
}

export function drawnGroups(chart: ChartQuery, groups: readonly Group[], categoryName: string): DrawnGroups {
  const categories = new Map<string, Group>()
  const series = new Map<string, Map<string, number>>()
  for (const group of groups) {
    if (group.n === null || chart.isDrawn?.(group) === false) continue
    const category = nameOf(chart, group)
    if (!categories.has(category)) categories.set(category, group)
    const name = chart.measure === 'count' ? texts.count : texts.currency(group.currency as string | null)
    const values = series.get(name) ?? new Map<string, number>()
    values.set(category, (values.get(category) ?? 0) + Number(group.n ?? 0))
    series.set(name, values)
  }
  const names =
    chart.name === 'leadTime'
      ? leadTimesIn(categories)
      : largestFirst([...categories.keys()], series, chart.top)
  return {
    data: {
      kind: series.size > 1 ? (`stacked-${chart.kind}` as const) : chart.kind,
      categoryName,
      categories: names,
      series: [...series].sort(byLargest).map(([name, values]) => ({
        name,
        values: names.map((category) => values.get(category) ?? null),
      })),
    },
    groups: names.map((name) => categories.get(name) as Group),
    isCut: chart.top !== undefined && categories.size > chart.top,
  }
}

type Series = ReadonlyMap<string, ReadonlyMap<string, number>>

/** As they come without `top`. Amounts of two currencies cannot be compared, so the largest of each category counts. */
function largestFirst(names: readonly string[], series: Series, top: number | undefined): readonly string[] {
  if (top === undefined) return names
  const largest = (name: string) =>
    Math.max(...[...series.values()].map((values) => values.get(name) ?? Number.NEGATIVE_INFINITY))
  return names.toSorted((a, b) => largest(b) - largest(a)).slice(0, top)
}

type Entry = readonly [name: string, values: ReadonlyMap<string, number>]

const byLargest = ([, a]: Entry, [, b]: Entry): number => sumOf(b) - sumOf(a)

const sumOf = (values: ReadonlyMap<string, number>): number =>
  [...values.values()].reduce((sum, value) => sum + value, 0)

function nameOf(chart: ChartQuery, group: Group): string {
  const category = chart.category(group)
  if (category === null) return texts.noValue
  return chart.name === 'leadTime' ? texts.leadTimes[category as LeadTime] : category
}

const leadTimesIn = (categories: ReadonlyMap<string, Group>): readonly string[] =>
  leadTimeNames.map((name) => texts.leadTimes[name]).filter((name) => categories.has(name))
