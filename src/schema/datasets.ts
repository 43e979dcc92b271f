/** The three datasets of version 2 and the two files they are stored in (specification 2 and 4.1). */
import type { TObject } from 'typebox'
import { type Field, fieldsOf } from './field.ts'
import * as shapes from './shapes.ts'

export type DatasetName = 'bookings' | 'invoices' | 'itineraries'

/** What a snapshot stores. Itineraries are bookings plus segments: stored once, as bookings. */
export type StoredName = 'bookings' | 'invoices'

/** An array of objects inside a record. */
export type NestedCollection = { readonly name: 'segments' | 'lineItems'; readonly fields: readonly Field[] }

export type Dataset = {
  readonly name: DatasetName
  readonly stored: StoredName
  /** The record's scalar fields in JSON order. */
  readonly fields: readonly Field[]
  /** The collection that queries may reach into, if the record has one. */
  readonly nested: NestedCollection | null
  /** The default order, which is also the final tie-breaker. Stored rows lie in this order. */
  readonly defaultOrder: readonly string[]
  /** The record's shape, and the envelope it is answered in. */
  readonly record: TObject
  readonly response: TObject
}

const segments: NestedCollection = { name: 'segments', fields: fieldsOf(shapes.BookingSegment) }
const lineItems: NestedCollection = { name: 'lineItems', fields: fieldsOf(shapes.InvoiceLineItem) }

export const datasets: { readonly [Name in DatasetName]: Dataset } = {
  bookings: {
    name: 'bookings',
    stored: 'bookings',
    fields: fieldsOf(shapes.Booking),
    nested: null,
    defaultOrder: ['bookingDate', 'recordLocator'],
    record: shapes.Booking,
    response: shapes.BookingsResponse,
  },
  invoices: {
    name: 'invoices',
    stored: 'invoices',
    fields: fieldsOf(shapes.Invoice),
    nested: lineItems,
    defaultOrder: ['invoiceDate', 'company', 'invoiceNumber'],
    record: shapes.Invoice,
    response: shapes.InvoicesResponse,
  },
  itineraries: {
    name: 'itineraries',
    stored: 'bookings',
    fields: fieldsOf(shapes.Itinerary),
    nested: segments,
    defaultOrder: ['bookingDate', 'recordLocator'],
    record: shapes.Itinerary,
    response: shapes.ItinerariesResponse,
  },
}

/** What each stored file holds: the record's own fields and its nested collection. */
export const storedCollections: {
  readonly [Name in StoredName]: { readonly fields: readonly Field[]; readonly nested: NestedCollection }
} = {
  bookings: { fields: datasets.bookings.fields, nested: segments },
  invoices: { fields: datasets.invoices.fields, nested: lineItems },
}
