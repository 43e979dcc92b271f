/** Reads the values of records from their finished JSON, for the formats that need columns. */
import { parseDate, parseMinute } from '../../kernel/calendar.ts'
import { DECIMAL_SCALE, parseDecimal, scaledExactly } from '../../kernel/decimal.ts'
import { datasetsByName } from '../../schema/datasets.ts'
import type { Field, FieldType, FieldValue } from '../../schema/field.ts'
import type { EncodedRecords } from '../encoded-records.ts'
import type { FinishedBatch, RecordKind, RecordRow } from '../engine.ts'

/** As encoded records without columns, for the writers of JSON. */
export const finishedRecords = ({ count, json }: FinishedBatch): EncodedRecords => ({
  kind: 'encoded',
  rows: { ids: null, from: 0, count },
  collection: {
    json,
    columns: new Map(),
    custom: new Map(),
    nested: null,
    additional: new Map(),
    nestedJson: () => () => {
      throw new Error('Finished JSON does not tell where its elements are')
    },
  },
})

type JsonObject = { readonly [name: string]: Json }
type Json = string | number | boolean | null | readonly JsonObject[] | JsonObject

/** Returns the function that reads the rows of a batch. Members that only JSON has are left out. */
export function rowReader({ dataset, labels }: RecordKind): (batch: FinishedBatch) => readonly RecordRow[] {
  const { fields, nested } = datasetsByName[dataset]
  const readValues = valuesReader(fields)
  const readElement = valuesReader(nested?.fields ?? [])
  return ({ count, json: { bytes, offsets, fronts } }) => {
    const texts = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    return Array.from({ length: count }, (_, row): RecordRow => {
      const begin = offsets[row] as number
      const text =
        fronts === null
          ? texts.toString('utf8', begin, offsets[row + 1])
          : `${texts.toString('utf8', begin, begin + (fronts[row] as number))}}`
      const record = parseExactly(text)
      const custom = (record.customDataFields ?? {}) as { readonly [label: string]: string }
      const elements = nested === null ? [] : (record[nested.name] as readonly JsonObject[])
      return {
        values: readValues(record),
        custom: labels.map((label) => (Object.hasOwn(custom, label) ? (custom[label] ?? null) : null)),
        elements: elements.map(readElement),
        lists: [],
      }
    })
  }
}

const valuesReader =
  (fields: readonly Field[]) =>
  (object: JsonObject): readonly FieldValue[] =>
    fields.map(({ name, type }) => {
      const value = object[name] ?? null
      return value === null ? null : readers[type](value as string | number | boolean)
    })

const readers: { readonly [T in FieldType]: (value: string | number | boolean) => FieldValue } = {
  text: (text) => text,
  date: (text) => known(parseDate(String(text))),
  minute: (text) => known(parseMinute(String(text))),
  boolean: (truth) => truth,
  integer: Number,
  // A large amount is the text of its digits.
  decimal: (amount) =>
    typeof amount === 'number'
      ? Math.round(amount * DECIMAL_SCALE)
      : known(scaledExactly(known(parseDecimal(String(amount))))),
}

/** Numbers with so many digits that two amounts may become the same double. */
const LONG_NUMBER = /:-?\d{10,}\./

/** A long number becomes the text of its digits. */
function parseExactly(text: string): JsonObject {
  if (!LONG_NUMBER.test(text)) return JSON.parse(text) as JsonObject
  return JSON.parse(text, ((_name: string, value: unknown, { source }: { readonly source?: string }) =>
    typeof value === 'number' && LONG_NUMBER.test(`:${source}`) ? source : value) as (
    this: unknown,
    name: string,
    value: unknown,
  ) => unknown) as JsonObject
}

function known<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('A stored value cannot be read')
  return value
}
