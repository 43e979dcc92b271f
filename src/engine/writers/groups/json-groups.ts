/** Writes groups as JSON objects. Numbers are exact: sums have all their digits. */
import { formatDate, formatMinute } from '../../../kernel/calendar.ts'
import { formatScaled } from '../../../kernel/decimal.ts'
import type { GroupType } from '../../../query/aggregation.ts'
import type { GroupColumn, GroupSet, GroupValue } from '../../group-set.ts'
import { formatLongDecimal } from './long-decimal.ts'

type Separators = { readonly between: string; readonly end: string }

export function* jsonLines({ columns, count }: GroupSet, { between, end }: Separators): Generator<string> {
  const heads = columns.map(({ name }, place) => `${place === 0 ? '' : ','}${JSON.stringify(name)}:`)
  const cells = columns.map(cellsOf)
  for (let group = 0; group < count; group++) {
    let line = group === 0 ? '{' : `${between}{`
    for (let place = 0; place < cells.length; place++) line += heads[place]! + cells[place]!(group)
    yield `${line}}${end}`
  }
}

/** The JSON of each value. In the order of groups, equal values are often neighbours. */
function cellsOf({ type, values }: GroupColumn): (group: number) => string {
  const write = writers[type]
  let before: GroupValue = null
  let text = 'null'
  return (group) => {
    const value = values[group] ?? null
    if (value !== before) {
      before = value
      text = value === null ? 'null' : write(value)
    }
    return text
  }
}

type Write = (value: Exclude<GroupValue, null>) => string

const writers: { readonly [T in GroupType]: Write } = {
  text: (value) => JSON.stringify(value),
  date: (value) => `"${formatDate(Number(value))}"`,
  minute: (value) => `"${formatMinute(Number(value))}"`,
  boolean: String,
  integer: String,
  decimal: (value) => formatScaled(Number(value)),
  long: String,
  'long-decimal': (value) => formatLongDecimal(value as number | bigint),
}
