/** Writes groups as JSON objects. Numbers are exact: sums have all their digits. */
import { formatDate, formatMinute } from '../../../kernel/calendar.ts'
import { formatScaled } from '../../../kernel/decimal.ts'
import type { GroupType } from '../../../query/aggregation.ts'
import type { GroupSet, GroupValue } from '../../group-set.ts'
import { formatLongDecimal } from './long-decimal.ts'

type Separators = { readonly between: string; readonly end: string }

export function* jsonLines({ columns, count }: GroupSet, { between, end }: Separators): Generator<string> {
  const members = columns.map(({ name, type, values }) => ({
    head: `${JSON.stringify(name)}:`,
    write: writers[type],
    values,
  }))
  for (let group = 0; group < count; group++) {
    let line = group === 0 ? '{' : `${between}{`
    for (const [place, { head, write, values }] of members.entries()) {
      const value = values[group] ?? null
      line += (place === 0 ? head : `,${head}`) + (value === null ? 'null' : write(value))
    }
    yield `${line}}${end}`
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
