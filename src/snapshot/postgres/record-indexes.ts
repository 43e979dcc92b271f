/**
 * Which columns of records have an index. Every index begins with the client. The first field of the default order is a date
 * that every record has: the order of its index is the default order, and it also has the columns that are short, so that most
 * filters on dates and truth values are answered from this index alone.
 */
import {
  type CollectionName,
  datasetsByName,
  type StoredName,
  storedCollections,
} from '../../schema/datasets.ts'
import type { Field } from '../../schema/field.ts'
import { textForms } from './record-columns.ts'

type IndexedFields = {
  /** Short texts that are often compared: an index each, in the default order among equal texts. */
  readonly texts: readonly string[]
  /** Orders that are often asked for. */
  readonly orders: readonly (readonly (readonly [name: string, direction: 'asc' | 'desc'])[])[]
  /** Texts in which three characters are found anywhere. */
  readonly searched: readonly string[]
  /** Additional texts whose keys are in the inverted index: those that select few records. */
  readonly keyed: readonly string[]
  /** Columns of elements. */
  readonly elements: readonly (readonly string[])[]
  /** Columns of the elements of additional collections. */
  readonly additional: { readonly [Name in CollectionName]?: readonly (readonly string[])[] }
}

export const indexedFields: { readonly [Name in StoredName]: IndexedFields } = {
  bookings: {
    texts: ['originatingAgency', 'recordLocator'],
    orders: [
      [
        ['originatingAgency', 'desc'],
        ['tripStartLocal', 'asc'],
      ],
      [
        ['modifiedAt', 'desc'],
        ['recordLocator', 'asc'],
      ],
    ],
    searched: ['recordLocator'],
    keyed: ['traveller', 'employeeId', 'costCentre', 'purchaseOrder'],
    elements: [['vendor', 'code'], ['origin', 'destination'], ['destination']],
    additional: { travellers: [['name']] },
  },
  invoices: {
    texts: ['company', 'recordLocator', 'invoiceNumber'],
    orders: [],
    searched: ['recordLocator', 'invoiceNumber'],
    keyed: [],
    elements: [['lineType', 'productCode'], ['productCode'], ['lineAmountIncGst'], ['ticketNumber']],
    additional: {},
  },
  'bookings-v1': {
    texts: ['originatingAgency', 'recordLocator'],
    orders: [],
    searched: ['recordLocator'],
    keyed: [],
    elements: [],
    additional: {},
  },
  'invoices-v1': {
    texts: ['recordLocator', 'invoiceNumber'],
    orders: [],
    searched: ['recordLocator'],
    keyed: [],
    elements: [],
    additional: {},
  },
}

/** The date by which records are ordered first; only the row number comes after it. */
export const orderDate = (stored: StoredName): string => {
  const [first] =
    Object.values(datasetsByName).find((dataset) => dataset.stored === stored)?.defaultOrder ?? []
  if (first === undefined) throw new Error(`The records of ${stored} have no order`)
  return first
}

/** Column of the index of a field that is compared as a whole: its folded form when it is a text. */
export const comparedColumn = (fields: readonly Field[], name: string): string => {
  const field = fields.find((each) => each.name === name)
  if (field === undefined) throw new RangeError(`No field ${name}`)
  return field?.type === 'text' ? `${name}${textForms.folded}` : name
}

/** The columns by which a field is ordered: texts are ordered without letter case first. */
export const orderedColumns = (fields: readonly Field[], name: string): readonly string[] => {
  const compared = comparedColumn(fields, name)
  return compared === name ? [name] : [compared, name]
}

/** Short columns of every record besides the date of the order. */
export const shortColumns = (stored: StoredName): readonly string[] =>
  storedCollections[stored].fields
    .filter(({ type, name }) => type !== 'text' && name !== orderDate(stored))
    .map(({ name }) => name)

/** Texts whose keys are in the inverted index. The client is the same in all its rows. */
export const keyedTexts = (stored: StoredName): readonly string[] => [
  ...storedCollections[stored].fields
    .filter(({ type, name }) => type === 'text' && name !== 'clientNumber')
    .map(({ name }) => name)
    .filter((name) => !indexedFields[stored].texts.includes(name)),
  ...indexedFields[stored].keyed,
]
