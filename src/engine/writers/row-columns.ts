/** Turns rows of values into columns, as the writers of CSV and Arrow read them. */
import { type Field, type FieldType, type FieldValue, NULL_INTEGER } from '../../schema/field.ts'
import type { EncodedColumn, EncodedElements, EncodedTexts } from '../encoded-records.ts'
import type { RecordRow } from '../engine.ts'

export const fieldColumns = (
  fields: readonly Field[],
  rows: readonly (readonly FieldValue[])[],
): ReadonlyMap<string, EncodedColumn> =>
  new Map(
    fields.map(({ name, type }, place) => [name, columnMakers[type](rows.map((row) => row[place] ?? null))]),
  )

export const customColumns = (
  rows: readonly RecordRow[],
  labels: readonly string[],
): ReadonlyMap<string, EncodedTexts> =>
  new Map(labels.map((label, place) => [label, textColumn(rows.map(({ custom }) => custom[place] ?? null))]))

/** @param at the place of the collection among those of a row */
export function elementsOf(
  rows: readonly RecordRow[],
  fields: readonly Field[],
  at: number,
): EncodedElements {
  const offsets = new Int32Array(rows.length + 1)
  rows.forEach(({ collections }, row) => {
    offsets[row + 1] = offsets[row]! + (collections[at]?.length ?? 0)
  })
  const elements = rows.flatMap(({ collections }) => collections[at] ?? [])
  return { elementCount: elements.length, offsets, columns: fieldColumns(fields, elements) }
}

type Values = readonly FieldValue[]

const integers = (values: Values): Int32Array =>
  Int32Array.from(values, (value) => Number(value ?? NULL_INTEGER))

const doubles = (values: Values): Float64Array =>
  Float64Array.from(values, (value) => Number(value ?? Number.NaN))

export const columnOf = (type: FieldType, values: Values): EncodedColumn => columnMakers[type](values)

const columnMakers: { readonly [T in FieldType]: (values: Values) => EncodedColumn } = {
  text: (values) => textColumn(values),
  date: (values) => ({ type: 'date', values: integers(values) }),
  minute: (values) => ({ type: 'wide-minute', values: doubles(values) }),
  integer: (values) => ({ type: 'integer', values: integers(values) }),
  decimal: (values) => ({ type: 'decimal', values: doubles(values) }),
  boolean: (values) => {
    const bits = new Uint8Array((values.length + 7) >> 3)
    values.forEach((value, row) => {
      if (value === true) bits[row >> 3]! |= 1 << (row & 7)
    })
    return { type: 'boolean', bits }
  },
}

/** Each row has a separate code: a search for equal texts in a batch would cost more than it saves. */
function textColumn(values: Values): EncodedTexts {
  const { length } = values
  const codes = Int32Array.from(values, (value, row) => (value === null ? length : row))
  return { type: 'text', codes, dictionary: { size: length, text: (row) => String(values[row]) } }
}
