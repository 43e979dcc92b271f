/** What a chart shows, as data: the same numbers are drawn, listed as a table and written as CSV. */
import { csvCell, csvLine } from '../../../../src/kernel/csv.ts'

/** Bars stand, lie, or stand on each other; lines are for values that do not add up. */
type ChartKind = 'bars' | 'lying-bars' | 'stacked-bars' | 'stacked-lying-bars' | 'lines'

/** Series with a meaning have its colour; the others take the next one of the palette. */
type SeriesTone = 'good' | 'warning' | 'bad'

type Series = {
  readonly name: string
  /** One for each category; null leaves a gap. */
  readonly values: readonly (number | null)[]
  readonly tone?: SeriesTone
}

export type ChartData = {
  readonly kind: ChartKind
  /** What the categories are, such as `Month`: the head of the first column of table and CSV. */
  readonly categoryName: string
  /** Each once. */
  readonly categories: readonly string[]
  readonly series: readonly Series[]
}

export function chartCsv({ categoryName, categories, series }: ChartData): string {
  const rows = [
    [categoryName, ...series.map(({ name }) => name)].map(csvCell),
    ...categories.map((category, index) => [
      csvCell(category),
      ...series.map(({ values }) => numberCell(values[index])),
    ]),
  ]
  return rows.map((cells) => csvLine(cells)).join('')
}

const numberCell = (value: number | null | undefined): string => String(value ?? '')

/** Such as `Trips per month` -> `trips-per-month`. */
export const fileNameOf = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '') || 'chart'

const MOST_LINES = 4

/** A name beside the pointer, which may have hundreds of letters, in as many lines as fit into a chart. */
export function linesOf(name: string): readonly string[] {
  const lines = name.match(/.{1,36}(?:\s+|$)|.{36}/gu) ?? []
  const shown = lines.slice(0, MOST_LINES).map((line) => line.trimEnd())
  return lines.length > MOST_LINES ? [...shown, '…'] : shown
}
