/** What SQL says for a column of a plan: the value itself, its folded text form, and the other forms that are stored. */

import { identifier } from '../../postgres/sql-names.ts'
import type { ColumnRef } from '../../query/plan/plan-nodes.ts'
import type { Field, FieldType } from '../../schema/field.ts'
import { labelForms, textForms } from '../../snapshot/postgres/record-columns.ts'

export type SqlColumn = {
  readonly type: FieldType
  readonly nullable: boolean
  /** The value, by which records are ordered; texts by their folded form first. */
  readonly value: string
  /** The folded text form. */
  readonly folded: string
  /** The forms of a text as a number and as an instant, null where it is none; absent for other types. */
  readonly parsed: { readonly number: string; readonly instant: string } | null
  /** Name in the inverted index; null when it has none. */
  readonly keyed: string | null
}

/** Returns the SQL of a column, with the alias of its table. */
export function fieldColumn(alias: string, { name, type, nullable }: Field): SqlColumn {
  const named = (suffix: string) => `${alias}.${identifier(name + suffix)}`
  if (type === 'text') {
    return {
      type,
      nullable,
      value: named(textForms.itself),
      folded: named(textForms.folded),
      parsed: { number: named(textForms.number), instant: named(textForms.instant) },
      keyed: name,
    }
  }
  return { type, nullable, value: named(''), folded: textOf[type](named('')), parsed: null, keyed: null }
}

/** @param position the label's place among the labels of the client; a number that was counted, not a value of a caller */
export function labelColumnSql(alias: string, position: number, keyed: string): SqlColumn {
  if (!Number.isSafeInteger(position) || position < 0) throw new Error(`${position} is no position`)
  const place = position + 1
  const at = (array: string) => `${alias}.${identifier(array)}[${place}]`
  return {
    type: 'text',
    nullable: true,
    value: at(labelForms.itself),
    folded: at(labelForms.folded),
    parsed: { number: at(labelForms.number), instant: at(labelForms.instant) },
    keyed,
  }
}

/**
 * The folded text form of a value. PostgreSQL has no year 0, so that dates are written 400 years later: the calendar repeats
 * itself after 400 years.
 */
const textOf: { readonly [T in Exclude<FieldType, 'text'>]: (value: string) => string } = {
  date: (days) => calendarText(`(date '2370-01-01' + ${days})`, '-MM-DD'),
  minute: (minutes) =>
    calendarText(`(timestamp '2370-01-01' + ${minutes} * interval '1 minute')`, '-MM-DD"t"HH24:MI'),
  integer: (value) => `(${value}::text collate "C")`,
  decimal: (scaled) => `(trim_scale(${scaled} * 0.00001)::text collate "C")`,
  boolean: (value) => `(${value}::text collate "C")`,
}

const calendarText = (time: string, rest: string): string =>
  `((lpad((extract(year from ${time})::integer - 400)::text, 4, '0') || to_char(${time}, '${rest}')) collate "C")`

export const describeColumn = (column: ColumnRef): string =>
  column.kind === 'field' ? `column '${column.name}'` : `label '${column.label}'`
