/**
 * Turns the bytes of a collection file into a partition: typed views over the same bytes, nothing copied. The caller has
 * verified the checksum; a file of another format version, client or collection is refused.
 */
import { type Data, type DataType, RecordBatchReader } from 'apache-arrow'
import {
  type NestedCollection,
  namedFields,
  type StoredName,
  storedCollections,
} from '../../schema/datasets.ts'
import type { Field, FieldType } from '../../schema/field.ts'
import type { Column, NestedColumns, NestedSpans, Partition, RecordBytes, TextColumn } from '../partition.ts'
import { openDictionary } from './dictionary.ts'
import {
  BOOKING_LENGTH_COLUMN,
  customColumnName,
  FORMAT_VERSION,
  JSON_COLUMN,
  NESTED_BEGIN_COLUMN,
  NESTED_END_COLUMN,
  readFileMetadata,
} from './file-format.ts'

/**
 * @param version the checksum of the bytes
 * @throws Error with a reason when the bytes are not the requested file
 */
export function readCollection(
  bytes: Uint8Array,
  expected: { readonly stored: StoredName; readonly clientNumber: string; readonly version: string },
): Partition {
  const [batch] = RecordBatchReader.from(bytes)
  if (batch === undefined) throw new Error('it holds no record batch')
  const identity = readFileMetadata(batch.schema.metadata)
  if (identity === undefined) throw new Error('it is not a collection file')
  if (identity.format !== FORMAT_VERSION) {
    throw new Error(`it has format ${identity.format}, but its snapshot has format ${FORMAT_VERSION}`)
  }
  if (identity.stored !== expected.stored || identity.clientNumber !== expected.clientNumber) {
    throw new Error(`it holds the ${identity.stored} of client '${identity.clientNumber}'`)
  }
  const columnData = childrenByName(batch.schema.fields, batch.data.children)
  const stored = storedCollections[identity.stored]
  const { nested, additionalCollections, front } = stored
  return {
    clientNumber: identity.clientNumber,
    stored: identity.stored,
    version: expected.version,
    rowCount: batch.numRows,
    columns: new Map(
      namedFields(stored).map((field) => [field.name, openColumn(field, columnData(field.name))]),
    ),
    labels: identity.labels,
    custom: new Map(identity.labels.map((label) => [label, openText(columnData(customColumnName(label)))])),
    nested: nested && openNested(nested, columnData(nested.name)),
    additional: new Map(
      additionalCollections.map((each) => [each.name, openNested(each, columnData(each.name))]),
    ),
    records: openRecords(
      columnData(JSON_COLUMN),
      front && columnData(BOOKING_LENGTH_COLUMN),
      nested && {
        begins: integers(columnData(NESTED_BEGIN_COLUMN)),
        ends: integers(columnData(NESTED_END_COLUMN)),
      },
    ),
    byteLength: bytes.byteLength,
  }
}

type ArrowData = Data<DataType>

function childrenByName(
  fields: readonly { readonly name: string }[],
  children: readonly ArrowData[],
): (name: string) => ArrowData {
  const byName = new Map(fields.map(({ name }, i) => [name, children[i]]))
  return (name) => {
    const data = byName.get(name)
    if (data === undefined) throw new Error(`its column '${name}' is missing`)
    return data
  }
}

function openColumn(field: Field, data: ArrowData): Column {
  return openers[field.type](data)
}

const openers: { readonly [T in FieldType]: (data: ArrowData) => Column } = {
  text: (data) => openText(data),
  date: (data) => ({ type: 'date', values: integers(data) }),
  minute: openMinutes,
  integer: (data) => ({ type: 'integer', values: integers(data) }),
  decimal: (data) => ({ type: 'decimal', values: doubles(data) }),
  boolean: (data) => ({ type: 'boolean', bits: data.values as Uint8Array }),
}

function openMinutes(data: ArrowData): Column {
  return data.values instanceof Float64Array
    ? { type: 'wide-minute', values: doubles(data) }
    : { type: 'minute', values: integers(data) }
}

const doubles = (data: ArrowData): Float64Array => (data.values as Float64Array).subarray(0, data.length)

const integers = (data: ArrowData): Int32Array => (data.values as Int32Array).subarray(0, data.length)

function openText(data: ArrowData): TextColumn {
  const texts = data.dictionary?.data[0] as ArrowData | undefined
  return {
    type: 'text',
    codes: integers(data),
    dictionary: openDictionary(
      texts?.values as Uint8Array | undefined,
      texts?.valueOffsets,
      texts?.length ?? 0,
    ),
  }
}

function openNested(collection: NestedCollection, data: ArrowData): NestedColumns {
  const struct = data.children[0] as ArrowData
  const elementData = childrenByName(struct.type.children, struct.children)
  return {
    name: collection.name,
    elementCount: struct.length,
    offsets: data.valueOffsets.subarray(0, data.length + 1),
    columns: new Map(
      namedFields(collection).map((field) => [field.name, openColumn(field, elementData(field.name))]),
    ),
  }
}

function openRecords(
  json: ArrowData,
  bookingLengths: ArrowData | null,
  nested: NestedSpans | null,
): RecordBytes {
  const offsets = json.valueOffsets.subarray(0, json.length + 1)
  return {
    bytes: (json.values as Uint8Array).subarray(0, offsets.at(-1)),
    offsets,
    bookingLengths: bookingLengths === null ? null : integers(bookingLengths),
    nested,
  }
}
