/** Copies the rows of a partition into the tables of records, by COPY in its binary format. */
import type { ClientBase } from 'pg'
import { from } from 'pg-copy-streams'
import { identifier } from '../../postgres/sql-names.ts'
import type { NestedColumns, Partition, TextColumn } from '../partition.ts'
import { type BinaryRows, copyBinary } from './binary-copy.ts'
import { labelColumn, sequenceKeys, textKey } from './index-keys.ts'
import { fieldWriter, labelWriter, type WriteField } from './record-columns.ts'
import { indexedFields, keyedTexts } from './record-indexes.ts'
import { columnsOf, type RecordTables } from './table-layout.ts'

type WriteRow = (to: BinaryRows, row: number) => void

export async function copyPartition(
  connection: ClientBase,
  partition: Partition,
  tables: RecordTables,
): Promise<void> {
  const { clientNumber, stored, rowCount, nested, additional } = partition
  const columns = columnsOf(stored)
  const copy = (
    table: string,
    names: readonly { readonly name: string }[],
    rows: number,
    write: WriteRow,
  ) => {
    if (rows === 0) return Promise.resolve()
    const list = names.map(({ name }) => identifier(name)).join(', ')
    return copyBinary(
      connection.query(from(`copy ${table} (${list}) from stdin with (format binary)`)),
      rows,
      write,
    )
  }
  const copyElements = (
    table: string,
    names: readonly { readonly name: string }[],
    elements: NestedColumns,
  ) => copy(table, names, elements.elementCount, elementsWriter(clientNumber, elements, names.length))
  await copy(tables.fields, columns.fields, rowCount, fieldsWriter(partition, columns.fields.length))
  await copy(tables.records, columns.records, rowCount, recordsWriter(partition))
  if (nested !== null && tables.elements !== null) {
    await copyElements(tables.elements, columns.elements, nested)
  }
  for (const [name, elements] of additional) {
    await copyElements(tables.additional.get(name) as string, columns.additional.get(name) ?? [], elements)
  }
}

function fieldsWriter({ clientNumber, columns, custom, ...partition }: Partition, count: number): WriteRow {
  const labels = [...custom.values()]
  const fields = [...columns.values()].map(fieldWriter)
  const writeLabels = labelWriter(labels)
  const keysOf = keyMaker({ clientNumber, columns, custom, ...partition })
  return (to, row) => {
    to.row(count)
    to.text(clientNumber)
    to.int4(row)
    for (const write of fields) write(to, row)
    writeLabels(to, row)
    to.int4Array(keysOf(row))
  }
}

/** The keys of a row in the inverted index. */
function keyMaker({ clientNumber, stored, columns, custom }: Partition): (row: number) => readonly number[] {
  const foldedIn = ({ codes, dictionary }: TextColumn, row: number): string | null => {
    const code = codes[row] as number
    return code === dictionary.size ? null : dictionary.folded(code)
  }
  const textColumn = (name: string): TextColumn => {
    const column = columns.get(name)
    if (column?.type !== 'text') throw new Error(`The column '${name}' has no texts`)
    return column
  }
  const whole = [
    ...keyedTexts(stored).map((name) => ({ name, column: textColumn(name) })),
    ...[...custom.values()].map((column, position) => ({ name: labelColumn(position), column })),
  ]
  const searched = indexedFields[stored].searched.map((name) => ({ name, column: textColumn(name) }))
  return (row) => {
    const keys: number[] = []
    for (const { name, column } of whole) {
      const folded = foldedIn(column, row)
      if (folded !== null) keys.push(textKey(clientNumber, name, folded))
    }
    for (const { name, column } of searched) {
      const folded = foldedIn(column, row)
      if (folded !== null) keys.push(...sequenceKeys(clientNumber, name, folded))
    }
    return keys
  }
}

/** The front part of a record, which a booking is of its itinerary, and the rest. The closing brace is left out. */
function recordsWriter({ clientNumber, records }: Partition): WriteRow {
  const { offsets, bookingLengths } = records
  const bytes = Buffer.from(records.bytes.buffer, records.bytes.byteOffset, records.bytes.byteLength)
  return (to, row) => {
    const begin = offsets[row] as number
    const end = (offsets[row + 1] as number) - 1
    const cut = bookingLengths === null ? end : begin + (bookingLengths[row] as number)
    to.row(4)
    to.text(clientNumber)
    to.int4(row)
    to.utf8(bytes, begin, cut)
    to.utf8(bytes, cut, end)
  }
}

function elementsWriter(clientNumber: string, { offsets, columns }: NestedColumns, count: number): WriteRow {
  const fields: readonly WriteField[] = [...columns.values()].map(fieldWriter)
  let row = 0
  return (to, element) => {
    while ((offsets[row + 1] as number) <= element) row++
    to.row(count)
    to.text(clientNumber)
    to.int4(row)
    to.int4(element - (offsets[row] as number))
    for (const write of fields) write(to, element)
  }
}
