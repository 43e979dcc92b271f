/** For tests: the records of a partition as plain values, by name and in the order of the contract. */
import { parseDate, parseMinute } from '../../kernel/calendar.ts'
import { parseDecimal, scaledExactly } from '../../kernel/decimal.ts'
import { type Dataset, type DatasetName, datasetsByName } from '../../schema/datasets.ts'
import type { Field, FieldType, FieldValue } from '../../schema/field.ts'
import type { Partition } from '../../snapshot/partition.ts'
import type { RecordRow } from '../engine.ts'
import type { PlainRow } from './evaluate-plan.ts'

export type HeldRow = PlainRow & { readonly row: RecordRow }

/** Reads only the finished JSON of the records: neither columns nor offsets within a record. */
export function readRows({ records, labels }: Partition, dataset: DatasetName): readonly HeldRow[] {
  const { bytes, offsets } = records
  const texts = Buffer.from(bytes)
  return Array.from({ length: offsets.length - 1 }, (_, row) =>
    heldRow(
      JSON.parse(texts.toString('utf8', offsets[row], offsets[row + 1])),
      datasetsByName[dataset],
      labels,
    ),
  )
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
    row: { values, custom, collections: nested === null ? [] : [elements], lists: listsOf(record, dataset) },
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
