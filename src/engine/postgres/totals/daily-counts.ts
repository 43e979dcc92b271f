/**
 * How many records of a client each day has, by the values of a few columns. From these, the total of a filter on days, truth values and
 * texts with few values is a sum that takes microseconds, where the database counts every index entry of the selection.
 */
import { identifier } from '../../../postgres/sql-names.ts'
import { storedCollections } from '../../../schema/datasets.ts'
import type { PlacedData } from '../../../snapshot/postgres/placed-data.ts'
import { comparedColumn, orderDate } from '../../../snapshot/postgres/record-indexes.ts'
import { recordTables } from '../../../snapshot/postgres/record-tables.ts'
import { Parameters } from '../parameters.ts'
import type { Statement } from '../statements.ts'
import { countedColumns, type DayQuestion, type GroupValues } from './day-question.ts'

export type DailyCounts = {
  readonly groups: readonly Group[]
  /** Days of all groups together. */
  readonly cells: number
  /** About what they take in memory. */
  readonly bytes: number
}

/** The records with the same values in the counted columns. */
type Group = {
  readonly values: GroupValues
  /** The days that have such records, ascending; days since 1970-01-01. */
  readonly days: Int32Array
  /** For each of these days, the records of the days before it; at the end, all of them. */
  readonly before: Int32Array
}

/** More are not kept: they would have to be looked through for every total. */
export const MOST_CELLS = 10_000

/** Answers with the groups as JSON, or with null where there are more than {@link MOST_CELLS}. */
export function dailyCountsStatement({ clientNumber, stored, generation }: PlacedData): Statement {
  const parameters = new Parameters()
  const client = parameters.add(clientNumber, 'text')
  const most = parameters.add(MOST_CELLS, 'bigint')
  const { fields } = storedCollections[stored]
  const columns = countedColumns(stored).map(({ name }) => `f.${identifier(comparedColumn(fields, name))}`)
  const values = columns.map((_, i) => `v${i}`)
  const lists = ['array_agg(day order by day)', 'array_agg(records order by day)']
  const groupBy = values.length === 0 ? '' : ` group by ${values.join(', ')}`
  return {
    text: `with cells as materialized (
      select f.${identifier(orderDate(stored))} as day, ${columns.map((column, i) => `${column} as v${i}, `).join('')}count(*) as records
      from ${recordTables(stored, generation).fields} f where f.client_number = ${client}
      group by ${['day', ...values].join(', ')} limit ${most} + 1)
    select case when (select count(*) from cells) <= ${most} then
      (select json_agg(json_build_array(${[...values, 'days', 'counts'].join(', ')}))::text
      from (select ${[...values, `${lists[0]} as days`, `${lists[1]} as counts`].join(', ')} from cells${groupBy}) g) end as records`,
    values: parameters.values,
  }
}

type GroupJson = readonly [...values: GroupValues, days: readonly number[], counts: readonly number[]]

/** @param json what {@link dailyCountsStatement} answers with */
export function dailyCountsIn(json: string): DailyCounts {
  const groups = (JSON.parse(json) as readonly GroupJson[]).map((group): Group => {
    const [days, counts] = group.slice(-2) as [readonly number[], readonly number[]]
    const before = new Int32Array(days.length + 1)
    for (const [i, count] of counts.entries()) before[i + 1] = (before[i] as number) + count
    return { values: group.slice(0, -2) as GroupValues, days: Int32Array.from(days), before }
  })
  const cells = groups.reduce((sum, { days }) => sum + days.length, 0)
  return { groups, cells, bytes: cells * CELL_BYTES + groups.length * GROUP_BYTES }
}

const CELL_BYTES = 8
/** Two arrays, their buffers and the values of a group: 630 bytes were measured. */
const GROUP_BYTES = 640

/** More would take milliseconds, in which the thread does nothing else. */
const MOST_COMPARISONS = 100_000

/** Whether the sum takes little time: a long filter is compared with the values of each group. */
export const isQuicklyCounted = ({ groups }: DailyCounts, { comparisons }: DayQuestion): boolean =>
  groups.length * comparisons <= MOST_COMPARISONS

/** How many records the question selects. */
export function countRecords({ groups }: DailyCounts, { from, to, holds }: DayQuestion): number {
  if (from >= to) return 0
  let records = 0
  for (const group of groups) {
    if (holds(group.values)) records += recordsBefore(group, to) - recordsBefore(group, from)
  }
  return records
}

function recordsBefore({ days, before }: Group, day: number): number {
  let [low, high] = [0, days.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((days[middle] as number) < day) low = middle + 1
    else high = middle
  }
  return before[low] as number
}
