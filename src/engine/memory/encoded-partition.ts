/** Turns a partition into the encoded collection of the contract: views over the file's bytes; nothing is copied. */
import type { DatasetName } from '../../schema/datasets.ts'
import type { Partition } from '../../snapshot/partition.ts'
import type { EncodedCollection } from '../encoded-records.ts'
import { findNested } from './nested-json.ts'

/** A booking is the front part of the stored itinerary. */
export function encodedCollection(partition: Partition, dataset: DatasetName): EncodedCollection {
  const { records, columns, custom, nested, additional } = partition
  const { bytes, offsets } = records
  const fronts = dataset === 'bookings' || dataset === 'bookings-v1' ? records.bookingLengths : null
  return {
    json: { bytes, offsets, fronts },
    columns,
    custom,
    nested,
    additional,
    nestedJson: () => findNested(partition),
  }
}
