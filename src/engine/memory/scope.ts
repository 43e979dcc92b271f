/**
 * What predicates are evaluated on: the records of a partition, or the elements of one of its collections. Both are rows of
 * columns; a record also knows its elements.
 */

import type { ColumnRef } from '../../query/plan/plan-nodes.ts'
import { type CollectionName, datasetsByName } from '../../schema/datasets.ts'
import type { Column, NestedColumns, Partition } from '../../snapshot/partition.ts'
import { BitmapPool } from './bitmap.ts'
import { registerRowOrder } from './indexes/column-index.ts'
import { KeptWork } from './kept-work.ts'
import type { Work } from './work.ts'

export type Scope = {
  /** Number of rows: records or elements. */
  readonly count: number
  readonly column: (ref: ColumnRef) => Column
  readonly bitmaps: BitmapPool
  /** The collections by name; none for elements, which have no collections themselves. */
  readonly collections: ReadonlyMap<CollectionName, ElementScope>
}

export type ElementScope = Scope & {
  readonly name: NestedColumns['name']
  /** Record `r` has the elements from `offsets[r]` up to `offsets[r + 1]`. */
  readonly offsets: Int32Array
  /** The record of each element. */
  readonly recordOf: () => Work<Int32Array>
}

export function recordScope(partition: Partition): Scope {
  const { columns, custom, stored, rowCount, nested, additional } = partition
  const first = columns.get(datasetsByName[stored].defaultOrder[0] ?? '')
  if (first?.type === 'date') registerRowOrder(first)
  return {
    count: rowCount,
    column: (ref) => {
      const column = ref.kind === 'field' ? columns.get(ref.name) : custom.get(ref.label)
      return column ?? missing(ref, stored)
    },
    bitmaps: new BitmapPool(rowCount),
    collections: new Map(
      [...(nested === null ? [] : [nested]), ...additional.values()].map((each) => [
        each.name,
        elementScope(each),
      ]),
    ),
  }
}

function elementScope({ name, elementCount, offsets, columns }: NestedColumns): ElementScope {
  return {
    name,
    offsets,
    count: elementCount,
    column: (ref) => (ref.kind === 'field' ? columns.get(ref.name) : undefined) ?? missing(ref, name),
    bitmaps: new BitmapPool(elementCount),
    collections: noCollections,
    recordOf: () => recordsOf.get(offsets, () => recordsOfElements(offsets, elementCount)),
  }
}

const noCollections: Scope['collections'] = new Map()

const recordsOf = new KeptWork<Int32Array, Int32Array>()

function* recordsOfElements(offsets: Int32Array, elementCount: number): Work<Int32Array> {
  const records = new Int32Array(elementCount)
  for (let record = 0; record + 1 < offsets.length; record++) {
    if (record % RECORDS_PER_PAUSE === RECORDS_PER_PAUSE - 1) yield
    const end = offsets[record + 1]!
    for (let element = offsets[record]!; element < end; element++) records[element] = record
  }
  return records
}

const RECORDS_PER_PAUSE = 1 << 15

/** Plans are bound to the schema of their partition, so a missing column is a defect. */
function missing(ref: ColumnRef, where: string): never {
  const name = ref.kind === 'field' ? ref.name : ref.label
  throw new Error(`The plan names the ${ref.kind} column '${name}', which ${where} do not have`)
}
