/** For tests: the records of a partition as plain values, by name and in the order of the contract. */
import { parseDate, parseMinute } from '../../kernel/calendar.ts'
import { parseDecimal, scaledExactly } from '../../kernel/decimal.ts'
import { type Dataset, type DatasetName, datasetsByName } from '../../schema/datasets.ts'
import { type Field, type FieldType, type FieldValue, NULL_INTEGER } from '../../schema/field.ts'
import type { Column, NestedColumns, Partition } from '../../snapshot/partition.ts'
import type { RecordRow } from '../engine.ts'
import type { PlainRow } from './evaluate-plan.ts'

export type HeldRow = PlainRow & { readonly row: RecordRow }

/**
 * Reads the finished JSON of the records, without offsets within a record. Only what the JSON does not show, the additional
 * fields and collections, comes from columns.
 */
export function readRows(partition: Partition, dataset: DatasetName): readonly HeldRow[] {
  const { bytes, offsets } = partition.records
  const texts = Buffer.from(bytes)
  const additionalOf = additionalReader(partition, datasetsByName[dataset])
  return Array.from({ length: offsets.length - 1 }, (_, row) => {
    const record = JSON.parse(texts.toString('utf8', offsets[row], offsets[row + 1]))
    const held = heldRow(record, datasetsByName[dataset], partition.labels)
    const { fields, elements, collections } = additionalOf(row)
    return {
      ...held,
      fields: { ...held.fields, ...fields },
      elements: held.elements.map((element, i) => ({ ...element, ...elements[i] })),
      additional: collections,
    }
  })
}

type Values = Readonly<Record<string, FieldValue>>

/** Returns the function that reads the additional values of a record and of its elements. */
function additionalReader(
  { columns, nested, additional }: Partition,
  dataset: Dataset,
): (row: number) => {
  readonly fields: Values
  readonly elements: readonly Values[]
  readonly collections: { readonly [name: string]: readonly Values[] }
} {
  const valuesAt = (from: ReadonlyMap<string, Column>, fields: readonly Field[], at: number): Values =>
    Object.fromEntries(fields.map(({ name }) => [name, valueAt(known(from.get(name)), at)]))
  const elementsAt = ({ offsets, columns: of }: NestedColumns, fields: readonly Field[], row: number) => {
    const [begin, end] = [offsets[row] as number, offsets[row + 1] as number]
    return Array.from({ length: end - begin }, (_, i) => valuesAt(of, fields, begin + i))
  }
  return (row) => ({
    fields: valuesAt(columns, dataset.additionalFields, row),
    elements:
      nested === null || dataset.nested === null
        ? []
        : elementsAt(nested, dataset.nested.additionalFields, row),
    collections: Object.fromEntries(
      dataset.additionalCollections.map(({ name, fields }) => [
        name,
        elementsAt(known(additional.get(name)), fields, row),
      ]),
    ),
  })
}

function valueAt(column: Column, row: number): FieldValue {
  switch (column.type) {
    case 'text': {
      const code = column.codes[row] as number
      return code === column.dictionary.size ? null : column.dictionary.text(code)
    }
    case 'boolean':
      return (((column.bits[row >> 3] as number) >> (row & 7)) & 1) === 1
    case 'wide-minute':
    case 'decimal': {
      const value = column.values[row] as number
      return Number.isNaN(value) ? null : value
    }
    default: {
      const value = column.values[row] as number
      return value === NULL_INTEGER ? null : value
    }
  }
}

type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }
type JsonObject = { readonly [name: string]: Json }

function heldRow(record: JsonObject, dataset: Dataset, labels: readonly string[]): HeldRow {
  const { fields, nested } = dataset
  const found = (record.customDataFields ?? {}) as Record<string, string>
  const custom = labels.map((label) => (Object.hasOwn(found, label) ? (found[label] ?? null) : null))
  const values = valuesOf(record, fields)
  const elements = ((nested === null ? [] : record[nested.name]) as readonly JsonObject[]).map((element) =>
    valuesOf(element, nested?.fields ?? []),
  )
  return {
    fields: named(fields, values),
    custom: Object.fromEntries(labels.map((label, i) => [label, custom[i] ?? null])),
    elements: elements.map((element) => named(nested?.fields ?? [], element)),
    row: { values, custom, elements, lists: listsOf(record, dataset) },
  }
}

const named = (fields: readonly Field[], values: readonly FieldValue[]) =>
  Object.fromEntries(fields.map(({ name }, i) => [name, values[i] ?? null]))

const valuesOf = (object: JsonObject, fields: readonly Field[]): readonly FieldValue[] =>
  fields.map(({ name, type }) => {
    const value = object[name] ?? null
    return value === null ? null : readers[type](String(value))
  })

const readers: { readonly [T in FieldType]: (text: string) => FieldValue } = {
  text: (text) => text,
  date: (text) => known(parseDate(text)),
  minute: (text) => known(parseMinute(text)),
  boolean: (text) => text === 'true',
  integer: Number,
  decimal: (text) => known(scaledExactly(known(parseDecimal(text)))),
}

function known<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('A stored value cannot be read')
  return value
}

/** Finished JSON of the members that queries cannot reach. */
function listsOf(record: JsonObject, dataset: Dataset): readonly string[] {
  const reached = new Set([
    ...dataset.fields.map(({ name }) => name),
    dataset.nested?.name,
    'customDataFields',
  ])
  return Object.keys(dataset.record.properties)
    .filter((name) => !reached.has(name))
    .map((name) => JSON.stringify(record[name]))
}
