/** The value of a field or label as a text: dates, numbers and truths in the viewer's format, with the exact value on hover. */
import type { ReactNode } from 'react'
import { formatDay, formatLocalTime } from '../../format/dates.ts'
import { formatNumber } from '../../format/numbers.ts'
import { recordTexts as texts } from '../../texts/records.ts'
import type { ValueKind } from '../fields/list-fields.ts'
import type { Place } from '../fields/paths.ts'
import { formatAmount } from '../record/amounts.ts'
import { type ListRecord, valueIn } from './columns.ts'

export const Cell = ({ record, place }: { readonly record: ListRecord; readonly place: Place }): ReactNode =>
  shown(valueIn(record, place), place)

/** Null and what is absent is an empty cell. */
function shown(value: unknown, place: Place): ReactNode {
  if (value === null || value === undefined) return null
  if (Array.isArray(value)) return value.map((each) => formatted(each, place)).join(', ')
  const text = formatted(value, place)
  const exact = String(value)
  return text === exact || typeof value === 'boolean' ? text : <span title={exact}>{text}</span>
}

function formatted(value: unknown, place: Place): string {
  if (!('value' in place)) return String(value)
  return formats[place.value](value, place.name)
}

const formats: { readonly [Kind in ValueKind]: (value: unknown, name: string) => string } = {
  text: String,
  date: (value) => formatDay(String(value)),
  minute: (value) => formatLocalTime(String(value)),
  boolean: (value) => (value === true ? texts.yes : texts.no),
  integer: (value) => formatNumber(Number(value)),
  decimal: (value, name) =>
    /Amount|Price|^amount$/.test(name) ? formatAmount(Number(value)) : formatNumber(Number(value)),
}
