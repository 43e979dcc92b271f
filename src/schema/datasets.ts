/**
 * The three lists of both versions and the files they are stored in (specification 2 and 4). Each version has its
 * own files, so that a client who uses one version does not load data for the other.
 */
import type { TObject } from 'typebox'
import * as additional from './additional-shapes.ts'
import { type Field, type FieldValue, fieldsOf } from './field.ts'
import * as shapes from './shapes.ts'
import * as version1 from './version-1-shapes.ts'

/** The lists, which both versions have. */
export type ListName = 'bookings' | 'invoices' | 'itineraries'

/** A dataset of version 2 has the name of its list. */
export type DatasetName = ListName | `${ListName}-v1`

/** Itineraries are bookings plus segments: stored once, as bookings. */
type Version2Stored = 'bookings' | 'invoices'

/** The collections that a snapshot stores. */
export type StoredName = Version2Stored | `${Version2Stored}-v1`

/** The record that each collection stores, as JSON. */
type StoredRecords = {
  readonly bookings: shapes.Itinerary
  readonly invoices: shapes.Invoice
  readonly 'bookings-v1': version1.ItineraryV1
  readonly 'invoices-v1': version1.InvoiceV1
}

type MembersOf<Name extends StoredName> = Extract<keyof StoredRecords[Name], string>

/** The scalar members of a stored record, which are its fields. */
export type FieldMember<Name extends StoredName> = {
  [Member in MembersOf<Name>]: StoredRecords[Name][Member] extends FieldValue ? Member : never
}[MembersOf<Name>]

/** The members of a stored record that queries cannot use, neither as a field nor as a nested collection. */
export type ListMember<Name extends StoredName> = Name extends Version2Stored
  ? Exclude<MembersOf<Name>, FieldMember<Name> | 'segments' | 'lineItems' | 'customDataFields'>
  : Exclude<MembersOf<Name>, FieldMember<Name>>

/** The names of collections that queries may search. The records of version 2 show the first two. */
export type CollectionName = 'segments' | 'lineItems' | 'travellers' | 'payments'

/** An array of objects that belongs to a record and that queries may search. */
export type NestedCollection = {
  readonly name: CollectionName
  /** The members of an element in JSON order. */
  readonly fields: readonly Field[]
  /** What queries can name besides, although elements do not show it. */
  readonly additionalFields: readonly Field[]
}

export type Dataset = {
  readonly name: DatasetName
  readonly stored: StoredName
  /** The record's scalar fields in JSON order. */
  readonly fields: readonly Field[]
  /** What queries can name besides, although the record as specified does not show it. */
  readonly additionalFields: readonly Field[]
  /** The collection of the record that queries may search, if it has one. */
  readonly nested: NestedCollection | null
  /** Collections that queries may search although the record as specified does not show them. */
  readonly additionalCollections: readonly NestedCollection[]
  /** The default order, which is also the final tie-breaker. Stored rows are in this order. */
  readonly defaultOrder: readonly string[]
  /** The shapes of a record and of the response. */
  readonly record: TObject
  readonly response: TObject
}

export type Version2Dataset = Dataset & { readonly name: ListName; readonly stored: Version2Stored }

export type Version1Dataset = Dataset & {
  /** The name of the record type in error messages (specification 2.9). */
  readonly typeName: string
}

const segments: NestedCollection = {
  name: 'segments',
  fields: fieldsOf(shapes.BookingSegment),
  additionalFields: [],
}
const lineItems: NestedCollection = {
  name: 'lineItems',
  fields: fieldsOf(shapes.InvoiceLineItem),
  additionalFields: fieldsOf(additional.AdditionalOfLineItem),
}
const travellers: NestedCollection = {
  name: 'travellers',
  fields: fieldsOf(additional.Traveller),
  additionalFields: [],
}
const payments: NestedCollection = {
  name: 'payments',
  fields: fieldsOf(additional.Payment),
  additionalFields: [],
}

type Additional = Pick<Dataset, 'additionalFields' | 'additionalCollections'>

const ofBookings: Additional = {
  additionalFields: fieldsOf(additional.AdditionalOfBooking),
  additionalCollections: [travellers],
}
const ofInvoices: Additional = {
  additionalFields: fieldsOf(additional.AdditionalOfInvoice),
  additionalCollections: [payments],
}
/** Queries of version 1 name what its records show. */
const ofVersion1: Additional = { additionalFields: [], additionalCollections: [] }

const bookingOrder = ['bookingDate', 'recordLocator']

export const datasets: { readonly [Name in ListName]: Version2Dataset } = {
  bookings: {
    name: 'bookings',
    stored: 'bookings',
    fields: fieldsOf(shapes.Booking),
    ...ofBookings,
    nested: null,
    defaultOrder: bookingOrder,
    record: shapes.Booking,
    response: shapes.BookingsResponse,
  },
  invoices: {
    name: 'invoices',
    stored: 'invoices',
    fields: fieldsOf(shapes.Invoice),
    ...ofInvoices,
    nested: lineItems,
    defaultOrder: ['invoiceDate', 'company', 'invoiceNumber'],
    record: shapes.Invoice,
    response: shapes.InvoicesResponse,
  },
  itineraries: {
    name: 'itineraries',
    stored: 'bookings',
    fields: fieldsOf(shapes.Itinerary),
    ...ofBookings,
    nested: segments,
    defaultOrder: bookingOrder,
    record: shapes.Itinerary,
    response: shapes.ItinerariesResponse,
  },
}

/** Nested collections cannot be queried in version 1. */
export const version1Datasets: { readonly [Name in ListName]: Version1Dataset } = {
  bookings: {
    name: 'bookings-v1',
    typeName: 'BookingGetDtoV1',
    stored: 'bookings-v1',
    fields: fieldsOf(version1.BookingV1),
    ...ofVersion1,
    nested: null,
    defaultOrder: bookingOrder,
    record: version1.BookingV1,
    response: version1.BookingsV1Response,
  },
  invoices: {
    name: 'invoices-v1',
    typeName: 'InvoiceGetDtoV1',
    stored: 'invoices-v1',
    fields: fieldsOf(version1.InvoiceV1),
    ...ofVersion1,
    nested: null,
    // Rows of one day keep the order of version 2, which sorts by `company`; these records have no such member.
    defaultOrder: ['invoiceDate'],
    record: version1.InvoiceV1,
    response: version1.InvoicesV1Response,
  },
  itineraries: {
    name: 'itineraries-v1',
    typeName: 'ItineraryGetDtoV1',
    stored: 'bookings-v1',
    fields: fieldsOf(version1.ItineraryV1),
    ...ofVersion1,
    nested: null,
    defaultOrder: bookingOrder,
    record: version1.ItineraryV1,
    response: version1.ItinerariesV1Response,
  },
}

/** Every dataset by the name that plans use. */
export const datasetsByName: { readonly [Name in DatasetName]: Dataset } = {
  ...datasets,
  'bookings-v1': version1Datasets.bookings,
  'invoices-v1': version1Datasets.invoices,
  'itineraries-v1': version1Datasets.itineraries,
}

export type StoredCollection = {
  readonly fields: readonly Field[]
  readonly additionalFields: readonly Field[]
  readonly nested: NestedCollection | null
  readonly additionalCollections: readonly NestedCollection[]
  /** The JSON that is stored for every record. */
  readonly record: TObject
  /** A shape whose members are the first ones of `record`, so that its JSON is the start of the stored JSON. */
  readonly front: TObject | null
}

type WithNested = StoredCollection & { readonly nested: NestedCollection }

/** What each stored file holds: the fields of the record, its collections, and what queries can name besides. */
export const storedCollections: {
  readonly bookings: WithNested
  readonly invoices: WithNested
  readonly 'bookings-v1': StoredCollection
  readonly 'invoices-v1': StoredCollection
} = {
  bookings: {
    fields: datasets.bookings.fields,
    ...ofBookings,
    nested: segments,
    record: shapes.Itinerary,
    front: shapes.Booking,
  },
  invoices: {
    fields: datasets.invoices.fields,
    ...ofInvoices,
    nested: lineItems,
    record: shapes.Invoice,
    front: null,
  },
  'bookings-v1': {
    fields: version1Datasets.itineraries.fields,
    ...ofVersion1,
    nested: null,
    record: version1.ItineraryV1,
    front: version1.BookingV1,
  },
  'invoices-v1': {
    fields: version1Datasets.invoices.fields,
    ...ofVersion1,
    nested: null,
    record: version1.InvoiceV1,
    front: null,
  },
}

export const storedNames = Object.keys(storedCollections) as readonly StoredName[]

/** The fields that queries can name: those of the record or element, then the additional ones. */
export const namedFields = ({
  fields,
  additionalFields,
}: Pick<NestedCollection, 'fields' | 'additionalFields'>): readonly Field[] => [
  ...fields,
  ...additionalFields,
]

/** The collections that queries may search: the one of the record, then the additional ones. */
export const searchedCollections = ({
  nested,
  additionalCollections,
}: Pick<StoredCollection, 'nested' | 'additionalCollections'>): readonly NestedCollection[] =>
  nested === null ? additionalCollections : [nested, ...additionalCollections]
