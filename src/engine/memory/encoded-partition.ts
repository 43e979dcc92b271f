/** Rows of a partition as the contract's encoded records: views over what the file holds; nothing is copied. */
import type { DatasetName } from '../../schema/datasets.ts'
import type { Partition } from '../../snapshot/partition.ts'
import type { EncodedRecords, RowNumbers } from '../encoded-records.ts'
import type { ResultSet } from '../engine.ts'
import { findNested } from './nested-json.ts'

/** The given rows as what a plan selected. */
export function resultOf(
  partition: Partition,
  dataset: DatasetName,
  total: number,
  rows: RowNumbers,
): ResultSet {
  const { clientNumber, labels } = partition
  const records = encodedRecords(partition, dataset, rows)
  return { dataset, clientNumber, labels, total, count: rows.count, records }
}

/** A booking is the front part of the stored itinerary. */
function encodedRecords(partition: Partition, dataset: DatasetName, rows: RowNumbers): EncodedRecords {
  const { records, columns, custom, nested } = partition
  const { bytes, offsets } = records
  const fronts = dataset === 'bookings' || dataset === 'bookings-v1' ? records.bookingLengths : null
  return {
    kind: 'encoded',
    rows,
    json: { bytes, offsets, fronts },
    columns,
    custom,
    nested,
    nestedJson: () => findNested(partition),
  }
}
