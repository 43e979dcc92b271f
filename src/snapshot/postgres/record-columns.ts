/**
 * The columns of the tables of records, by the type of a field. A text has four: as it is, folded, as a number and as an
 * instant, because queries compare it in each of these ways. They are computed here, where rows are written, so that no
 * function of the database has to agree with ours. The custom labels of a client are arrays, by the position of the label.
 */
import { parseInstant } from '../../kernel/calendar.ts'
import { parseDecimal } from '../../kernel/decimal.ts'
import type { Field, FieldType } from '../../schema/field.ts'
import { NULL_INTEGER } from '../../schema/field.ts'
import type { Column, Dictionary, TextColumn } from '../partition.ts'
import type { BinaryRows } from './binary-copy.ts'
import { numberKey } from './number-key.ts'

/** The columns of a text, as suffixes of its own name. */
export const textForms = { itself: '', folded: '_folded', number: '_number', instant: '_instant' } as const

/** Texts are ordered by code point: in UTF-8, that is the order of the bytes. */
export const TEXT = 'text collate "C"'

export type TableColumn = { readonly name: string; readonly type: string; readonly nullable: boolean }

/** Minutes may need more than 32 bits, and amounts are scaled by 10^5. */
const sqlTypes: { readonly [T in Exclude<FieldType, 'text'>]: string } = {
  date: 'integer',
  minute: 'bigint',
  integer: 'integer',
  decimal: 'bigint',
  boolean: 'boolean',
}

export const tableColumnsOf = (fields: readonly Field[]): readonly TableColumn[] =>
  fields.flatMap(({ name, type, nullable }) =>
    type === 'text'
      ? [
          { name, type: TEXT, nullable },
          { name: `${name}${textForms.folded}`, type: TEXT, nullable },
          { name: `${name}${textForms.number}`, type: TEXT, nullable: true },
          { name: `${name}${textForms.instant}`, type: 'bigint', nullable: true },
        ]
      : [{ name, type: sqlTypes[type], nullable }],
  )

export const labelForms = {
  itself: 'labels',
  folded: 'labels_folded',
  number: 'labels_number',
  instant: 'labels_instant',
} as const

export const labelColumns: readonly TableColumn[] = [
  { name: labelForms.itself, type: 'text[] collate "C"', nullable: true },
  { name: labelForms.folded, type: 'text[] collate "C"', nullable: true },
  { name: labelForms.number, type: 'text[] collate "C"', nullable: true },
  { name: labelForms.instant, type: 'bigint[]', nullable: true },
]

/** Writes the columns of one field of a row. */
export type WriteField = (to: BinaryRows, row: number) => void

export function fieldWriter(column: Column): WriteField {
  switch (column.type) {
    case 'text':
      return textWriter(column)
    case 'minute':
    case 'date':
    case 'integer': {
      const { values, type } = column
      const write = type === 'minute' ? 'int8' : 'int4'
      return (to, row) => {
        const value = values[row] as number
        to[write](value === NULL_INTEGER ? null : value)
      }
    }
    case 'wide-minute':
    case 'decimal': {
      const { values } = column
      return (to, row) => {
        const value = values[row] as number
        to.int8(Number.isNaN(value) ? null : value)
      }
    }
    case 'boolean': {
      const { bits } = column
      return (to, row) => to.boolean((((bits[row >> 3] as number) >> (row & 7)) & 1) === 1)
    }
  }
}

type TextForms = {
  readonly text: string
  readonly folded: string
  readonly number: string | null
  readonly instant: number | null
}

/** The forms of a text by its code, made once: most texts of a column repeat. */
function formsOf(dictionary: Dictionary): (code: number) => TextForms {
  const known = new Array<TextForms | undefined>(dictionary.size)
  return (code) => {
    let forms = known[code]
    if (forms === undefined) {
      const text = dictionary.text(code)
      const instant = parseInstant(text) ?? null
      forms = { text, folded: dictionary.folded(code), number: numberIn(text), instant }
      known[code] = forms
    }
    return forms
  }
}

function textWriter({ codes, dictionary }: TextColumn): WriteField {
  const formsAt = formsOf(dictionary)
  return (to, row) => {
    const code = codes[row] as number
    if (code === dictionary.size) {
      for (let form = 0; form < 4; form++) to.null()
      return
    }
    const { text, folded, number, instant } = formsAt(code)
    to.text(text)
    to.text(folded)
    to.text(number)
    to.int8(instant)
  }
}

/** Writes the columns of all labels of a row. */
export function labelWriter(columns: readonly TextColumn[]): WriteField {
  const length = columns.length
  const [itself, folded, numbers] = [textsOf(length), textsOf(length), textsOf(length)]
  const instants = new Array<number | null>(length)
  const formsAt = columns.map(({ dictionary }) => formsOf(dictionary))
  return (to, row) => {
    for (const [i, { codes, dictionary }] of columns.entries()) {
      const code = codes[row] as number
      const forms = code === dictionary.size ? null : formsAt[i]?.(code)
      itself[i] = forms?.text ?? null
      folded[i] = forms?.folded ?? null
      numbers[i] = forms?.number ?? null
      instants[i] = forms?.instant ?? null
    }
    to.textArray(itself)
    to.textArray(folded)
    to.textArray(numbers)
    to.int8Array(instants)
  }
}

const textsOf = (length: number) => new Array<string | null>(length).fill(null)

function numberIn(text: string): string | null {
  const number = parseDecimal(text)
  return number === undefined ? null : numberKey(number)
}
