/**
 * Writes groups as an Arrow IPC stream. Dimensions, least and greatest values have the types of the fields in records; counts and
 * sums of whole numbers are 64-bit integers, sums of amounts are decimals of 38 digits, because a sum may exceed every field.
 */
import {
  type Data,
  type DataType,
  Decimal,
  Field,
  Int64,
  makeData,
  RecordBatch,
  RecordBatchStreamWriter,
  Schema,
  Struct,
} from 'apache-arrow'
import { DECIMAL_PLACES } from '../../../kernel/decimal.ts'
import type { GroupType } from '../../../query/aggregation.ts'
import type { GroupColumn, GroupSet, GroupValue } from '../../group-set.ts'
import { arrowTypes, gatherer } from '../arrow-columns.ts'
import { columnOf } from '../row-columns.ts'

const types: { readonly [T in GroupType]: DataType } = {
  ...arrowTypes,
  long: new Int64(),
  'long-decimal': new Decimal(DECIMAL_PLACES, 38),
}

export function arrowGroups({ dataset, clientNumber, count, columns }: GroupSet): Uint8Array {
  const metadata = new Map([
    ['tripfolio.clientNumber', clientNumber],
    ['tripfolio.list', dataset],
  ])
  const fields = columns.map(({ name, type }) => new Field(name, types[type], true))
  const schema = new Schema(fields, metadata)
  const writer = new RecordBatchStreamWriter({ autoDestroy: false }).reset(undefined, schema)
  if (count > 0) {
    const children = columns.map((column) => dataOf(column))
    const struct = makeData({ type: new Struct(fields), length: count, nullCount: 0, children })
    writer.write(new RecordBatch(schema, struct))
  }
  writer.close()
  return writer.toUint8Array(true)
}

function dataOf({ type, values }: GroupColumn): Data<DataType> {
  switch (type) {
    case 'long':
      return longs(values)
    case 'long-decimal':
      return longDecimals(values)
    case 'text':
    case 'boolean':
    case 'date':
    case 'minute':
    case 'integer':
    case 'decimal': {
      const column = columnOf(
        type,
        values.map((value) => (typeof value === 'bigint' ? null : value)),
      )
      const rows = Int32Array.from(values, (_, row) => row)
      return gatherer(column, values.length)(rows)
    }
  }
}

/** A bit for each value that is not null, least significant first. */
function validityOf(values: readonly GroupValue[]): { nullCount: number; nullBitmap?: Uint8Array } {
  const nullBitmap = new Uint8Array((values.length + 7) >> 3)
  let nullCount = 0
  for (const [i, value] of values.entries()) {
    if (value === null) nullCount++
    else nullBitmap[i >> 3]! |= 1 << (i & 7)
  }
  return nullCount === 0 ? { nullCount } : { nullCount, nullBitmap }
}

function longs(values: readonly GroupValue[]): Data<DataType> {
  const data = BigInt64Array.from(values, (value) => BigInt(value ?? 0))
  return makeData({ type: types.long as Int64, length: values.length, ...validityOf(values), data })
}

/** 128 bits in two's complement, the low half first. */
function longDecimals(values: readonly GroupValue[]): Data<DataType> {
  const halves = new BigInt64Array(2 * values.length)
  values.forEach((value, i) => {
    const scaled = BigInt(value ?? 0)
    halves[2 * i] = BigInt.asIntN(64, scaled)
    halves[2 * i + 1] = scaled >> 64n
  })
  const data = new Uint32Array(halves.buffer)
  const type = types['long-decimal'] as Decimal
  return makeData({ type, length: values.length, ...validityOf(values), data })
}
