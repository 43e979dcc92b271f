/** The columns of changes in CSV and Arrow: `_change`, then those of the records, empty where a record was removed. */
import { type Data, type DataType, Field } from 'apache-arrow'
import type { EncodedCollection, EncodedTexts } from '../encoded-records.ts'
import { arrowTypes, gatherer } from './arrow-columns.ts'
import { type ArrowColumn, columnsOf as arrowColumnsOf, arrowWriterOf } from './arrow-records.ts'
import { cellsOf } from './csv-cells.ts'
import { type CsvColumn, columnsOf as csvColumnsOf, csvWriterOf } from './csv-records.ts'
import { columnNamed, type OpenWriter } from './record-writer.ts'

export const CHANGE_COLUMN = '_change'

export const changeNames = ['added', 'changed', 'removed'] as const

const REMOVED = changeNames.indexOf('removed')

const changesIn = ({ columns }: EncodedCollection): EncodedTexts =>
  columnNamed(columns, CHANGE_COLUMN) as EncodedTexts

/** Opens a writer for records that these members identify. */
export type OpenChangeWriter = (keyNames: readonly string[]) => OpenWriter

export const changeCsvWriter: OpenChangeWriter = (keyNames) =>
  csvWriterOf((of) => [
    {
      name: CHANGE_COLUMN,
      open: (collection, rowCount, days) => cellsOf(changesIn(collection), rowCount, days),
    },
    ...csvColumnsOf(of).map((column) => (keyNames.includes(column.name) ? column : emptyCells(column))),
  ])

const emptyCells = ({ name, open }: CsvColumn): CsvColumn => ({
  name,
  open: (collection, rowCount, days) => {
    const { codes } = changesIn(collection)
    const write = open(collection, rowCount, days)
    return (row, to) => {
      if (codes[row] !== REMOVED) write(row, to)
    }
  },
})

export const changeArrowWriter: OpenChangeWriter = (keyNames) =>
  arrowWriterOf((of) => [
    {
      field: new Field(CHANGE_COLUMN, arrowTypes.text, false),
      open: (collection, rowCount) => gatherer(changesIn(collection), rowCount),
    },
    ...arrowColumnsOf(of).map((column) =>
      keyNames.includes(column.field.name) ? column : nullableColumn(column),
    ),
  ])

const nullableColumn = ({ field, open }: ArrowColumn): ArrowColumn => ({
  field: new Field(field.name, field.type, true),
  open: (collection, rowCount) => {
    const { codes } = changesIn(collection)
    const gather = open(collection, rowCount)
    return (rows) => withoutRemoved(gather(rows), rows, codes)
  },
})

/** The same values, with null for every removed record. */
function withoutRemoved(data: Data<DataType>, rows: Int32Array, codes: Int32Array): Data<DataType> {
  const bits = new Uint8Array((rows.length + 7) >> 3)
  let nullCount = 0
  for (let i = 0; i < rows.length; i++) {
    if (codes[rows[i]!] !== REMOVED && data.getValid(i)) bits[i >> 3]! |= 1 << (i & 7)
    else nullCount++
  }
  if (nullCount === data.nullCount) return data
  const { valueOffsets, values, typeIds } = data
  return data.clone(data.type, 0, data.length, nullCount, [valueOffsets, values, bits, typeIds])
}
