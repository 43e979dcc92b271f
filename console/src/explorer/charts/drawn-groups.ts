/** Groups of the API as a chart: a category each, and a series for each currency. */
import type { ChartData } from '../../parts/charts/chart-data.ts'
import { insightTexts as texts } from '../../texts/insights.ts'
import { type ChartQuery, type Group, type LeadTime, leadTimeNames } from './chart-queries.ts'

export type DrawnGroups = {
  readonly data: ChartData
  /** Of each category, a group that has it. */
  readonly groups: readonly Group[]
}

export function drawnGroups(chart: ChartQuery, groups: readonly Group[], categoryName: string): DrawnGroups {
  const categories = new Map<string, Group>()
  const series = new Map<string, Map<string, number>>()
  for (const group of groups) {
    const category = nameOf(chart, group)
    if (!categories.has(category)) categories.set(category, group)
    const name = chart.measure === 'count' ? texts.count : texts.currency(group.currency as string | null)
    const values = series.get(name) ?? new Map<string, number>()
    values.set(category, (values.get(category) ?? 0) + Number(group.n ?? 0))
    series.set(name, values)
  }
  const names = chart.name === 'leadTime' ? leadTimesIn(categories) : [...categories.keys()]
  return {
    data: {
      kind: series.size > 1 && chart.kind === 'bars' ? 'stacked-bars' : chart.kind,
      categoryName,
      categories: names,
      series: [...series].map(([name, values]) => ({
        name,
        values: names.map((category) => values.get(category) ?? null),
      })),
    },
    groups: names.map((name) => categories.get(name) as Group),
  }
}

function nameOf(chart: ChartQuery, group: Group): string {
  const category = chart.category(group)
  if (category === null) return texts.noValue
  return chart.name === 'leadTime' ? texts.leadTimes[category as LeadTime] : category
}

const leadTimesIn = (categories: ReadonlyMap<string, Group>): readonly string[] =>
  leadTimeNames.map((name) => texts.leadTimes[name]).filter((name) => categories.has(name))
