/**
 * Finds what queries of version 2 can name beyond the record: most of it are values of version 1, which are at hand already, the
 * rest are columns of the record's own row. The rows of travellers and payments are elements as they are.
 */
import { storedCollections } from '../../schema/datasets.ts'
import { type Field, type FieldValue, toSnakeCase } from '../../schema/field.ts'
import { type NamedColumn, placeOf, type RecordColumns, type RecordKind } from './record-streams.ts'
import type { Row } from './version-1-sources.ts'

/** @returns the values of the additional fields, in their order */
export type AdditionalOf = (record: Row, version1Values: readonly FieldValue[]) => FieldValue[]

/** @throws RangeError when a field has no source, or the rows of a collection do not begin with its fields */
export function additionalValues(kind: RecordKind, columns: RecordColumns): AdditionalOf {
  const { additionalFields, nested, additionalCollections } = storedCollections[kind]
  requireColumns([...nested.fields, ...nested.additionalFields], columns.elements.columns)
  for (const { fields } of additionalCollections) requireColumns(fields, columns.parties.columns)
  const version1Fields = storedCollections[`${kind}-v1`].fields
  const sources = additionalFields.map(({ name }) => {
    const shown = version1Fields.findIndex((field) => field.name === name)
    return shown === -1
      ? { isShown: false, place: placeOf(columns.records.columns, toSnakeCase(name)) }
      : { isShown: true, place: shown }
  })
  return (record, version1Values) =>
    sources.map(({ isShown, place }) => (isShown ? version1Values : record)[place] as FieldValue)
}

function requireColumns(fields: readonly Field[], columns: readonly NamedColumn[]): void {
  for (const [i, { name, type }] of fields.entries()) {
    const column = columns[i]
    if (column?.name !== toSnakeCase(name) || column.type !== type)
      throw new RangeError(`Expected a ${type} for ${name}, found ${column?.type} ${column?.name}`)
  }
}
