/**
 * Builds the rows of version 1 from the same rows as version 2 (design 7.2). version-1-sources.ts lists the source of each
 * member; this file turns the sources into values, in the order of the stored fields, and into JSON.
 */
import { type StoredName, storedCollections } from '../../schema/datasets.ts'
import type { FieldValue } from '../../schema/field.ts'
import { LineItemV1, PaymentV1, TravellerV1 } from '../../schema/version-1-shapes.ts'
import { CollectionBuilder, type StoredRow } from '../../snapshot/format/collection-builder.ts'
import type { Client } from './custom-labels.ts'
import { partWriter } from './part-json.ts'
import { type NamedColumn, placeOf, type RecordColumns, type RecordKind } from './record-streams.ts'
import {
  bookingSources,
  type ComputedOfBooking,
  type ComputedOfInvoice,
  type FieldSource,
  invoiceSources,
  lineGst,
  lineNet,
  lineSources,
  lineTotal,
  type PartSource,
  paymentSources,
  type Row,
  travellerSources,
} from './version-1-sources.ts'

/** One record with the rows of its elements and of its travellers or payments. */
export type RecordParts = {
  readonly record: Row
  readonly elements: readonly Row[]
  readonly parties: readonly Row[]
  /** The nested collection as version 2 writes it. */
  readonly nestedJson: string
}

/** The record and its elements: what the values of its fields come from. */
type ValueParts = Pick<RecordParts, 'record' | 'elements'>

type RowMaker<Name extends StoredName> = {
  /** The values of the stored fields, in their order. */
  readonly valuesOf: (parts: ValueParts, clientName: string) => readonly FieldValue[]
  readonly rowOf: (parts: RecordParts, values: readonly FieldValue[]) => StoredRow<Name>
}

/** The collection of version 1 of one client, while it is built. */
export type Version1Collection = {
  readonly builder: CollectionBuilder
  /** The values of the stored fields, in their order; version 2 lets queries name some of them. */
  readonly valuesOf: (parts: ValueParts) => readonly FieldValue[]
  readonly append: (parts: RecordParts, values: readonly FieldValue[]) => void
}

type OpenCollection = (client: Pick<Client, 'clientNumber' | 'name'>) => Version1Collection

/** For each kind: takes the columns of the streams, and returns a function that opens one client's collection. */
export const version1Collections: {
  readonly [Kind in RecordKind]: (columns: RecordColumns) => OpenCollection
} = {
  bookings: (columns) => collectionOf('bookings-v1', version1Rows.bookings(columns)),
  invoices: (columns) => collectionOf('invoices-v1', version1Rows.invoices(columns)),
}

/** For each kind: takes the columns of the streams, and returns the functions from the parts of a record to a stored row. */
export const version1Rows = { bookings: bookingRows, invoices: invoiceRows }

const collectionOf =
  <Name extends StoredName>(stored: Name, { valuesOf, rowOf }: RowMaker<Name>): OpenCollection =>
  ({ clientNumber, name }) => {
    const builder = new CollectionBuilder(stored, clientNumber, [])
    return {
      builder,
      valuesOf: (parts) => valuesOf(parts, name),
      append: (parts, values) => builder.append(rowOf(parts, values)),
    }
  }

function bookingRows({ records, parties }: RecordColumns): RowMaker<'bookings-v1'> {
  const valuesOf = valuesFrom<ComputedOfBooking>(bookingSources, 'bookings-v1', records.columns)
  const travellersJson = partWriter(TravellerV1, travellerSources, {
    record: records.columns,
    part: parties.columns,
  })
  return {
    valuesOf: ({ record, elements }) => valuesOf(record, { segmentCount: elements.length }),
    rowOf: ({ record, parties: travellers, nestedJson }, values) => ({
      values,
      custom: [],
      elements: [],
      lists: { travellers: travellersJson(record, travellers), segments: nestedJson },
    }),
  }
}

function invoiceRows({ records, elements, parties }: RecordColumns): RowMaker<'invoices-v1'> {
  const valuesOf = valuesFrom<ComputedOfInvoice>(invoiceSources, 'invoices-v1', records.columns)
  const lineColumns = { record: records.columns, part: elements.columns }
  const linesJson = partWriter(LineItemV1, lineSources, lineColumns)
  const paymentsJson = partWriter(PaymentV1, paymentSources, {
    record: records.columns,
    part: parties.columns,
  })
  const sumOf = (source: PartSource) => {
    const { read } = source(lineColumns)
    return (lines: readonly Row[]) =>
      lines.reduce((sum, line) => sum + ((read(line) as number | null) ?? 0), 0)
  }
  const [netSum, gstSum, totalSum] = [sumOf(lineNet), sumOf(lineGst), sumOf(lineTotal)]
  return {
    valuesOf: ({ record, elements: lines }, clientName) =>
      valuesOf(record, {
        clientName,
        netSum: netSum(lines),
        gstSum: gstSum(lines),
        totalSum: totalSum(lines),
      }),
    rowOf: ({ record, elements: lines, parties: payments }, values) => ({
      values,
      custom: [],
      elements: [],
      lists: { lineItems: linesJson(record, lines), payments: paymentsJson(record, payments) },
    }),
  }
}

/** Puts a record's values into the order of the stored fields. */
function valuesFrom<Computed extends Readonly<Record<string, FieldValue>>>(
  sources: Readonly<Record<string, FieldSource<Computed>>>,
  stored: StoredName,
  columns: readonly NamedColumn[],
): (record: Row, computed: Computed) => FieldValue[] {
  const read = storedCollections[stored].fields.map(({ name }) => {
    const source = sources[name]
    if (source === undefined) throw new RangeError(`No source is defined for ${name}`)
    return typeof source === 'string' ? placeOf(columns, source) : source.computed
  })
  return (record, computed) =>
    read.map((from) =>
      typeof from === 'number' ? (record[from] as FieldValue) : (computed[from] as FieldValue),
    )
}
