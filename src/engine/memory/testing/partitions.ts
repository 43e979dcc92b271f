/**
 * Builds partitions for tests directly from values, in the memory layout of snapshots. The records are small JSON objects with
 * their place in the default order, so that tests can see which rows a result has.
 */
import { compareCodePoints, fold } from '../../../kernel/text.ts'
import {
  type CollectionName,
  type DatasetName,
  datasets,
  type NestedCollection,
  namedFields,
  type StoredName,
  storedCollections,
} from '../../../schema/datasets.ts'
import type { Field, FieldType, FieldValue } from '../../../schema/field.ts'
import type { RecordFormat } from '../../../schema/record-formats.ts'
import {
  type Column,
  type Dictionary,
  type NestedColumns,
  NULL_INTEGER,
  type Partition,
  type RecordBytes,
  type TextColumn,
} from '../../../snapshot/partition.ts'
import type { RowNumbers } from '../../encoded-records.ts'
import type { ResultSet } from '../../engine.ts'
import { writable } from '../../writers/write-records.ts'
import { encodedCollection } from '../encoded-partition.ts'

type Values = Readonly<Record<string, FieldValue>>

/** Missing fields are null, or the zero of their type when they cannot be null. */
export type FixtureRow = {
  readonly fields: Values
  readonly custom?: Readonly<Record<string, string | null>>
  readonly elements?: readonly Values[]
  /** Elements of the additional collections. */
  readonly additional?: { readonly [Name in CollectionName]?: readonly Values[] }
}

export type Fixture = {
  readonly partition: Partition
  /** In default order, with every field present. */
  readonly rows: readonly Required<FixtureRow>[]
  /** The JSON of each row, as stored. */
  readonly records: readonly string[]
}

export function partitionOf(
  stored: 'bookings' | 'invoices',
  given: readonly FixtureRow[],
  labels: readonly string[] = [],
): Fixture {
  const { nested, additionalCollections } = storedCollections[stored]
  const rows = given.map((row) => completed(row, stored, labels)).sort(byDefaultOrder(stored))
  const records = rows.map((row, i) => recordJson(stored, row, i))
  const bytes = recordBytes(stored, records)
  const partition: Partition = {
    clientNumber: 'C1',
    stored,
    version: 'fixture',
    rowCount: rows.length,
    columns: columnsOf(
      namedFields(storedCollections[stored]),
      rows.map((row) => row.fields),
    ),
    labels,
    custom: new Map(labels.map((label) => [label, textColumn(rows.map((row) => row.custom[label] ?? null))])),
    nested: nestedColumns(
      nested,
      rows.map(({ elements }) => elements),
    ),
    additional: new Map(
      additionalCollections.map((each) => [
        each.name,
        nestedColumns(
          each,
          rows.map(({ additional }) => additional[each.name] ?? []),
        ),
      ]),
    ),
    records: bytes,
    byteLength: bytes.bytes.byteLength,
  }
  return { partition, rows, records: records.map(({ front, rest }) => front + rest) }
}

function nestedColumns(
  collection: NestedCollection,
  elementsOfRows: readonly (readonly Values[])[],
): NestedColumns {
  const elements = elementsOfRows.flat()
  return {
    name: collection.name,
    elementCount: elements.length,
    offsets: runningSums(elementsOfRows.map(({ length }) => length)),
    columns: columnsOf(namedFields(collection), elements),
  }
}

function completed(
  { fields: values, custom = {}, elements = [], additional = {} }: FixtureRow,
  stored: 'bookings' | 'invoices',
  labels: readonly string[],
): Required<FixtureRow> {
  const { nested, additionalCollections } = storedCollections[stored]
  const complete = (given: Values, of: readonly Field[]): Values =>
    Object.fromEntries(of.map((field) => [field.name, given[field.name] ?? emptyValue(field)]))
  const all = (given: readonly Values[], of: NestedCollection) =>
    given.map((element) => complete(element, namedFields(of)))
  return {
    fields: complete(values, namedFields(storedCollections[stored])),
    custom: Object.fromEntries(labels.map((label) => [label, custom[label] ?? null])),
    elements: all(elements, nested),
    additional: Object.fromEntries(
      additionalCollections.map((each) => [each.name, all(additional[each.name] ?? [], each)]),
    ),
  }
}

const zeros: { readonly [T in FieldType]: FieldValue } = {
  text: '',
  date: 0,
  minute: 0,
  boolean: false,
  integer: 0,
  decimal: 0,
}

const emptyValue = ({ nullable, type }: Field): FieldValue => (nullable ? null : zeros[type])

function byDefaultOrder(stored: 'bookings' | 'invoices'): (a: FixtureRow, b: FixtureRow) => number {
  return (a, b) => {
    for (const name of datasets[stored].defaultOrder) {
      const x = a.fields[name]
      const y = b.fields[name]
      const order = typeof x === 'number' ? x - Number(y) : compareCodePoints(String(x), String(y))
      if (order !== 0) return order
    }
    return 0
  }
}

function columnsOf(fields: readonly Field[], rows: readonly Values[]): Map<string, Column> {
  return new Map(
    fields.map(({ name, type }) => {
      const values = rows.map((row) => row[name] ?? null)
      return [name, columnMakers[type](values)]
    }),
  )
}

const integers = (values: readonly FieldValue[]): Int32Array =>
  Int32Array.from(values, (value) => (value === null ? NULL_INTEGER : Number(value)))

const doubles = (values: readonly FieldValue[]): Float64Array =>
  Float64Array.from(values, (value) => (value === null ? Number.NaN : Number(value)))

const columnMakers: { readonly [T in FieldType]: (values: readonly FieldValue[]) => Column } = {
  text: (values) => textColumn(values.map((value) => (value === null ? null : String(value)))),
  date: (values) => ({ type: 'date', values: integers(values) }),
  minute: (values) =>
    values.some((value) => Number(value) > 0x7fffffff)
      ? { type: 'wide-minute', values: doubles(values) }
      : { type: 'minute', values: integers(values) },
  integer: (values) => ({ type: 'integer', values: integers(values) }),
  decimal: (values) => ({ type: 'decimal', values: doubles(values) }),
  boolean: (values) => {
    const bits = new Uint8Array((values.length + 7) >> 3)
    values.forEach((value, row) => {
      if (value === true) bits[row >> 3] = bits[row >> 3]! | (1 << (row & 7))
    })
    return { type: 'boolean', bits }
  },
}

function textColumn(values: readonly (string | null)[]): TextColumn {
  const dictionary = dictionaryOf(values.filter((value) => value !== null))
  const codes = new Map(
    Array.from({ length: dictionary.size }, (_, code) => [dictionary.text(code), code] as const),
  )
  return {
    type: 'text',
    codes: Int32Array.from(values, (value) =>
      value === null ? dictionary.size : (codes.get(value) ?? dictionary.size),
    ),
    dictionary,
  }
}

/** A dictionary of the distinct texts, ordered by (folded text, text). */
export function dictionaryOf(texts: Iterable<string>): Dictionary {
  const distinct = [...new Set(texts)]
    .map((text) => ({ text, folded: fold(text) }))
    .sort((a, b) => compareCodePoints(a.folded, b.folded) || compareCodePoints(a.text, b.text))
  return {
    size: distinct.length,
    text: (code) => distinct[code]!.text,
    folded: (code) => distinct[code]!.folded,
  }
}

type RecordJson = { readonly front: string; readonly rest: string }

/** Records differ in length, and are longer in bytes than in characters. */
function recordJson(stored: 'bookings' | 'invoices', row: Required<FixtureRow>, place: number): RecordJson {
  const front = `{"row":${place},"filler":"${'é'.repeat(place % 7)}"`
  return { front, rest: `,"${storedCollections[stored].nested.name}":${row.elements.length}}` }
}

function recordBytes(stored: StoredName, records: readonly RecordJson[]): RecordBytes {
  const lengths = (texts: readonly string[]) => texts.map((text) => Buffer.byteLength(text))
  const whole = records.map(({ front, rest }) => front + rest)
  return {
    bytes: Buffer.from(whole.join('')),
    offsets: runningSums(lengths(whole)),
    bookingLengths:
      stored === 'bookings' ? Int32Array.from(lengths(records.map(({ front }) => front))) : null,
    nested: null,
  }
}

function runningSums(lengths: readonly number[]): Int32Array {
  const offsets = new Int32Array(lengths.length + 1)
  lengths.forEach((length, i) => {
    offsets[i + 1] = offsets[i]! + length
  })
  return offsets
}

/** The places, in default order, of the records of a result. */
export function rowsIn(result: ResultSet): readonly number[] {
  const json = textOf(result, 'json', 1 << 16)
  return (JSON.parse(`[${json}]`) as { row: number }[]).map(({ row }) => row)
}

/** All chunks of a result of encoded records, which is written without waiting. */
export const chunksOf = (
  result: ResultSet,
  format: RecordFormat,
  chunkBytes: number,
): readonly Uint8Array[] => [...(writable(result).chunks(format, chunkBytes) as Iterable<Uint8Array>)]

export const textOf = (result: ResultSet, format: RecordFormat, chunkBytes: number): string =>
  Buffer.concat(chunksOf(result, format, chunkBytes)).toString()

/** Rows of a partition as a result, without a plan. */
export const resultOf = (
  partition: Partition,
  dataset: DatasetName,
  total: number,
  rows: RowNumbers,
): ResultSet => ({
  dataset,
  clientNumber: partition.clientNumber,
  labels: partition.labels,
  total,
  count: rows.count,
  records: { kind: 'encoded', rows, collection: encodedCollection(partition, dataset) },
})
