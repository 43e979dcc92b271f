/**
 * Turns rows into text, member by member, by the definition of their table. CSV is quoted by RFC 4180, with a header
 * and line feeds; null is an empty field and the empty text a quoted one. NDJSON writes null, and numbers in plain notation.
 */

import { formatDate, formatMinute, MINUTES_PER_DAY } from '../kernel/calendar.ts'
import { cellOf } from '../kernel/csv.ts'
import { formatScaled } from '../kernel/decimal.ts'
import type { ExtractTable } from '../schema/extract-tables.ts'
import type { FieldType, FieldValue } from '../schema/field.ts'

export type TextFormat = 'csv' | 'ndjson'

/** Members by field name; one for each column of the table. */
export type Row = Readonly<Record<string, FieldValue>>

export type RowText = {
  /** The text above the rows: the CSV header, or nothing. */
  readonly head: string
  row(row: Row): string
}

export const rowTexts: { readonly [Format in TextFormat]: (table: ExtractTable) => RowText } = {
  csv: ({ columns }) => ({
    head: `${columns.map(({ column }) => column).join(',')}\n`,
    row: rowWriter(
      columns.map(({ name, type }, i) => ({ name, before: i === 0 ? '' : ',', text: csvTexts[type] })),
      '',
      '\n',
    ),
  }),
  ndjson: ({ columns }) => ({
    head: '',
    row: rowWriter(
      columns.map(({ name, column, type }, i) => ({
        name,
        before: `${i === 0 ? '{' : ','}${JSON.stringify(column)}:`,
        text: jsonTexts[type],
      })),
      'null',
      '}\n',
    ),
  }),
}

type Text = (value: string | number | boolean) => string

type Member = { readonly name: string; readonly before: string; readonly text: Text }

function rowWriter(members: readonly Member[], nullText: string, end: string): (row: Row) => string {
  return (row) => {
    let line = ''
    for (const { name, before, text } of members) {
      const value = row[name]
      if (value === undefined) throw new TypeError(`A row lacks its member ${name}`)
      line += before
      line += value === null ? nullText : text(value)
    }
    return line + end
  }
}

type Texts = { readonly [Type in FieldType]: Text }

const plain: Texts = {
  text: String,
  date: (day) => dateText(Number(day)),
  minute: (minute) => minuteText(Number(minute)),
  boolean: String,
  integer: String,
  decimal: (scaled) => formatScaled(Number(scaled)),
}

const csvTexts: Texts = { ...plain, text: (value) => cellOf(String(value)) }

const jsonTexts: Texts = {
  ...plain,
  text: JSON.stringify,
  date: (day) => `"${dateText(Number(day))}"`,
  minute: (minute) => `"${minuteText(Number(minute))}"`,
}

/** A cache, because a few hundred days occur millions of times. */
const datesByDay = new Map<number, string>()

function dateText(day: number): string {
  let text = datesByDay.get(day)
  if (text === undefined) {
    text = formatDate(day)
    datesByDay.set(day, text)
  }
  return text
}

const timesOfDay: readonly string[] = Array.from({ length: MINUTES_PER_DAY }, (_, minute) =>
  formatMinute(minute).slice(10),
)

function minuteText(minute: number): string {
  const day = Math.floor(minute / MINUTES_PER_DAY)
  return dateText(day) + (timesOfDay[minute - day * MINUTES_PER_DAY] ?? '')
}
