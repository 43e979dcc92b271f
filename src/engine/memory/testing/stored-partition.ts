/** For tests: partitions as a refresh writes them, with JSON and columns that agree. */
import { RecordBatchFileWriter } from 'apache-arrow'
import { CollectionBuilder } from '../../../snapshot/format/collection-builder.ts'
import { readCollection } from '../../../snapshot/format/read-collection.ts'
import type { Partition } from '../../../snapshot/partition.ts'

type Texts = readonly (string | null)[]

export type StoredInvoice = {
  readonly number: string
  readonly obtSource?: string | null
  readonly custom?: Texts
  readonly lines?: readonly { readonly description: string | null; readonly price: number | null }[]
}

export function invoicesOf(rows: readonly StoredInvoice[], labels: readonly string[] = []): Partition {
  const builder = new CollectionBuilder('invoices', 'C1', labels)
  for (const { number, obtSource = null, custom = labels.map(() => null), lines = [] } of rows) {
    builder.append({
      values: ['Acme', 'C1', null, number, 0, null, 31, obtSource, null, null, null],
      custom,
      elements: lines.map(({ description, price }, i) => [
        ...[i + 1, 'FARE', null, description, 100_000, price],
        ...[null, null, null, null],
      ]),
      lists: {},
    })
  }
  return storedPartition(builder)
}

export type StoredBooking = { readonly agency: string; readonly minute: number; readonly isTicketed: boolean }

export function bookingsOf(rows: readonly StoredBooking[]): Partition {
  const builder = new CollectionBuilder('bookings', 'C1', [])
  rows.forEach(({ agency, minute, isTicketed }, i) => {
    const day = Math.floor(minute / 1440)
    builder.append({
      values: ['C1', `L${i}`, agency, day, minute, isTicketed, !isTicketed, minute, minute],
      custom: [],
      elements: i % 2 === 0 ? [] : [[1, 'AIR', minute, null, 'SYD', null, null, '"', null]],
      lists: {},
    })
  })
  return storedPartition(builder)
}

export function storedPartition(builder: CollectionBuilder): Partition {
  const writer = new RecordBatchFileWriter()
  writer.write(builder.finish())
  writer.finish()
  const { stored, clientNumber } = builder
  return readCollection(writer.toUint8Array(true), { stored, clientNumber, version: 'v' })
}
