/**
 * Rows of values -> encoded records, so that one writer per format serves every engine. The JSON and the columns are each
 * made when a format asks for them. This is the slow path: engines that hold finished bytes never come here.
 */
import { formatDate, formatMinute } from '../../kernel/calendar.ts'
import { formatScaled } from '../../kernel/decimal.ts'
import { datasetsByName } from '../../schema/datasets.ts'
import { type Field, type FieldType, type FieldValue, NULL_INTEGER } from '../../schema/field.ts'
import type {
  ByteSpan,
  EncodedCollection,
  EncodedColumn,
  EncodedElements,
  EncodedJson,
  EncodedRecords,
  EncodedTexts,
} from '../encoded-records.ts'
import type { RecordKind, RecordRow } from '../engine.ts'
import { ByteWriter } from './byte-writer.ts'

export function encodeRows(rows: readonly RecordRow[], of: RecordKind): EncodedRecords {
  const { fields } = datasetsByName[of.dataset]
  const json = once(() => jsonOf(rows, of))
  const columns = once(() =>
    columnsOf(
      fields,
      rows.map(({ values }) => values),
    ),
  )
  const custom = once(() => customColumns(rows, of.labels))
  const nested = once(() => elementsOf(rows, of))
  const collection: EncodedCollection = {
    get json() {
      return json()
    },
    get columns() {
      return columns()
    },
    get custom() {
      return custom()
    },
    get nested() {
      return nested()
    },
    nestedJson: () => (row, span) => {
      Object.assign(span, json().nested[row])
    },
  }
  return { kind: 'encoded', rows: { ids: null, from: 0, count: rows.length }, collection }
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** A value that is there, as JSON. */
const valueJson: { readonly [T in FieldType]: (value: NonNullable<FieldValue>) => string } = {
  text: JSON.stringify,
  date: (day) => `"${formatDate(Number(day))}"`,
  minute: (minute) => `"${formatMinute(Number(minute))}"`,
  integer: String,
  decimal: (scaled) => formatScaled(Number(scaled)),
  boolean: String,
}

type Jsons = EncodedJson & { readonly nested: readonly ByteSpan[] }

function jsonOf(rows: readonly RecordRow[], of: RecordKind): Jsons {
  const members = membersOf(of)
  const to = new ByteWriter(Buffer.alloc(0))
  const offsets = new Int32Array(rows.length + 1)
  const nested: ByteSpan[] = []
  rows.forEach((row, r) => {
    let json = '{'
    for (const { prefix, isNested, write } of members) {
      json += prefix
      if (isNested) {
        to.text(json)
        const begin = to.length
        to.text(write(row))
        nested.push({ begin, end: to.length })
        json = ''
      } else json += write(row)
    }
    to.text(`${json}}`)
    offsets[r + 1] = to.length
  })
  return { bytes: to.written(), offsets, fronts: null, nested }
}

type Member = {
  readonly prefix: string
  readonly isNested: boolean
  readonly write: (row: RecordRow) => string
}

/** The members of a record in the order of its shape: fields, the nested collection, the labels, and finished lists. */
function membersOf({ dataset, labels }: RecordKind): readonly Member[] {
  const { record, fields, nested } = datasetsByName[dataset]
  let lists = 0
  const writerOf = (name: string): Member['write'] => {
    const place = fields.findIndex((field) => field.name === name)
    const field = fields[place]
    if (field !== undefined) return ({ values }) => fieldJson(field, values[place])
    if (name === 'customDataFields') return customWriter(labels)
    if (name === nested?.name) return elementsWriter(nested.fields)
    const list = lists++
    return (row) => row.lists[list] ?? missing(name, dataset)
  }
  return Object.keys(record.properties).map((name, at) => ({
    prefix: `${at === 0 ? '' : ','}${JSON.stringify(name)}:`,
    isNested: name === nested?.name,
    write: writerOf(name),
  }))
}

/** Labels without a value have no member. */
function customWriter(labels: readonly string[]): Member['write'] {
  const prefixes = labels.map((label) => `${JSON.stringify(label)}:`)
  return ({ custom }) => {
    let json = ''
    for (const [i, prefix] of prefixes.entries()) {
      const value = custom[i] ?? null
      if (value !== null) json += (json === '' ? '' : ',') + prefix + JSON.stringify(value)
    }
    return `{${json}}`
  }
}

function elementsWriter(fields: readonly Field[]): Member['write'] {
  const members = fields.map((field, at) => ({
    field,
    prefix: `${at === 0 ? '' : ','}${JSON.stringify(field.name)}:`,
  }))
  const elementJson = (element: Values): string => {
    let json = ''
    for (const [i, { field, prefix }] of members.entries()) json += prefix + fieldJson(field, element[i])
    return `{${json}}`
  }
  return ({ elements }) => `[${elements.map(elementJson).join(',')}]`
}

function fieldJson({ name, type, nullable }: Field, value: FieldValue | undefined): string {
  if (value === undefined || (value === null && !nullable)) return missing(name, type)
  return value === null ? 'null' : valueJson[type](value)
}

/** What the engine gave is not of the dataset: a defect. */
function missing(name: string, of: string): never {
  throw new Error(`A row has no ${name} (${of})`)
}

const columnsOf = (
  fields: readonly Field[],
  rows: readonly (readonly FieldValue[])[],
): ReadonlyMap<string, EncodedColumn> =>
  new Map(
    fields.map(({ name, type }, place) => [name, columnMakers[type](rows.map((row) => row[place] ?? null))]),
  )

const customColumns = (
  rows: readonly RecordRow[],
  labels: readonly string[],
): ReadonlyMap<string, EncodedTexts> =>
  new Map(labels.map((label, place) => [label, textColumn(rows.map(({ custom }) => custom[place] ?? null))]))

function elementsOf(rows: readonly RecordRow[], { dataset }: RecordKind): EncodedElements | null {
  const { nested } = datasetsByName[dataset]
  if (nested === null) return null
  const offsets = new Int32Array(rows.length + 1)
  rows.forEach(({ elements }, row) => {
    offsets[row + 1] = offsets[row]! + elements.length
  })
  const elements = rows.flatMap((row) => row.elements)
  return { elementCount: elements.length, offsets, columns: columnsOf(nested.fields, elements) }
}

type Values = readonly FieldValue[]

const integers = (values: Values): Int32Array =>
  Int32Array.from(values, (value) => Number(value ?? NULL_INTEGER))

const doubles = (values: Values): Float64Array =>
  Float64Array.from(values, (value) => Number(value ?? Number.NaN))

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

/** Each row has a code of its own: looking for equal texts in a batch would cost more than it saves. */
function textColumn(values: Values): EncodedTexts {
  const { length } = values
  const codes = Int32Array.from(values, (value, row) => (value === null ? length : row))
  return { type: 'text', codes, dictionary: { size: length, text: (row) => String(values[row]) } }
}
