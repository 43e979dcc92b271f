/** Puts finished columns together: as fields of an Arrow schema, as a struct, and as a list of structs. */
import { Field as ArrowField, type Data, type DataType, List, makeData, Struct } from 'apache-arrow'
import { DECIMAL_PLACES } from '../../kernel/decimal.ts'
import type { Field } from '../../schema/field.ts'
import { type ColumnBuilder, columnBuilder } from './column-builders.ts'

/** A column under construction, with its quoted name and a colon as JSON writes it. */
export type NamedBuilder = { readonly prefix: string; readonly builder: ColumnBuilder }
export type ArrowColumn = { readonly field: ArrowField; readonly data: Data<DataType> }

/** Finishes a column; without a field, it is one of texts that may be null. */
export type Finish = (column: NamedBuilder, name: string, field: Field | undefined) => ArrowColumn

export const named = (field: Field): NamedBuilder => ({
  prefix: `${JSON.stringify(field.name)}:`,
  builder: columnBuilder(field),
})

/** Finishes the columns of one file, and numbers their dictionaries. */
export function finisher(): Finish {
  let dictionaries = 0
  return ({ builder }, name, field) => {
    const data = builder.finish(dictionaries++)
    return { field: new ArrowField(name, data.type, field?.nullable ?? true, metadataOf(field)), data }
  }
}

export const finishFields = (
  finish: Finish,
  columns: readonly NamedBuilder[],
  fields: readonly Field[],
): readonly ArrowColumn[] => columns.map((column, i) => finish(column, fields[i]?.name as string, fields[i]))

export function listColumn(
  name: string,
  valueOffsets: Int32Array,
  children: readonly ArrowColumn[],
): ArrowColumn {
  const child = structData(children, valueOffsets.at(-1) ?? 0)
  const type = new List(new ArrowField('item', child.type, false))
  const data = makeData({ type, length: valueOffsets.length - 1, nullCount: 0, valueOffsets, child })
  return { field: new ArrowField(name, type, false), data }
}

export function structData(columns: readonly ArrowColumn[], length: number): Data<Struct> {
  const type = new Struct(columns.map(({ field }) => field))
  return makeData({ type, length, nullCount: 0, children: columns.map(({ data }) => data) })
}

/** Tells other programs what the plain integers of a column mean. */
function metadataOf(field: Field | undefined): Map<string, string> | null {
  if (field?.type === 'minute') return new Map([['tripfolio.unit', 'minutes since 1970-01-01T00:00, local']])
  if (field?.type === 'decimal') return new Map([['tripfolio.scale', String(DECIMAL_PLACES)]])
  return null
}
