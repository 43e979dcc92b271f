/** The columns of a table: what each needs of the API, how wide it is, and what a record has in it. */

import { labelOf } from '../fields/field-label.ts'
import type { ListName } from '../fields/list-fields.ts'
import { type Place, placeOf } from '../fields/paths.ts'
import type { ListQuery } from '../query/list-query.ts'

export type Column = {
  readonly path: string
  readonly place: Place
  readonly header: string
  readonly isSortable: boolean
  readonly align: 'left' | 'right'
  readonly widthPx: number
}

/** A record as the API gives it, with the selected members. */
export type ListRecord = Readonly<Record<string, unknown>>

export const columnsOf = ({ list, columns, widths }: ListQuery): readonly Column[] =>
  columns.flatMap((path) => {
    const place = placeOf(list, path)
    if (place === undefined) return []
    const isNumber = 'value' in place && (place.value === 'decimal' || place.value === 'integer')
    return [
      {
        path,
        place,
        header: labelOf(place),
        isSortable: place.kind === 'field' || place.kind === 'label',
        align: isNumber && place.kind === 'field' ? ('right' as const) : ('left' as const),
        widthPx: widths[path] ?? usualWidthPx(place),
      },
    ]
  })

const widthsByName: Readonly<Record<string, number>> = {
  recordLocator: 104,
  invoiceNumber: 120,
  currencyCode: 96,
  traveller: 180,
  originatingAgency: 260,
  company: 220,
  description: 280,
  segmentCount: 112,
  isInternational: 132,
  segments: 240,
}

const widthsByKind = { text: 160, date: 140, minute: 200, boolean: 104, integer: 120, decimal: 128 } as const

function usualWidthPx(place: Place): number {
  if (place.kind === 'label') return 180
  if (place.kind === 'collection') return widthsByName[place.collection] ?? 200
  return widthsByName[place.name] ?? widthsByKind[place.value]
}

/** What names a record, by which it is found again. */
export const identityPaths: { readonly [Name in ListName]: readonly string[] } = {
  bookings: ['recordLocator'],
  itineraries: ['recordLocator'],
  invoices: ['company', 'invoiceNumber'],
}

/** The members of elements that a column of the collection summarizes. */
const summarized: Readonly<Record<string, readonly string[]>> = {
  segments: ['segments.segmentType', 'segments.origin', 'segments.destination'],
  travellers: ['travellers.name'],
  lineItems: ['lineItems.lineType'],
  payments: ['payments.formOfPayment'],
}

/** The `$select` of the rows: no more than the table shows, and the identity. */
export function selectOf({ list, columns }: Pick<ListQuery, 'list' | 'columns'>): string {
  const paths = [...identityPaths[list], ...columns].flatMap((path) => summarized[path] ?? [path])
  return [...new Set(paths)].join(',')
}

/** The value of a field or label, the values of a field of elements, or a summary of a collection. */
export function valueIn(record: ListRecord, place: Place): unknown {
  switch (place.kind) {
    case 'field':
      return record[place.name]
    case 'label': {
      const labels = record.customDataFields as Readonly<Record<string, string>> | undefined
      return labels !== undefined && Object.hasOwn(labels, place.label) ? labels[place.label] : undefined
    }
    case 'element':
      return distinct(elementsOf(record, place.collection).map((element) => element[place.name]))
    case 'collection':
      return summaryOf(place.collection, elementsOf(record, place.collection))
  }
}

const elementsOf = (record: ListRecord, collection: string): readonly ListRecord[] =>
  (record[collection] as readonly ListRecord[] | undefined) ?? []

const distinct = (values: readonly unknown[]): readonly unknown[] => [
  ...new Set(values.filter((value) => value !== null && value !== undefined)),
]

function summaryOf(collection: string, elements: readonly ListRecord[]): string {
  if (collection === 'segments') return routeOf(elements)
  const member = summarized[collection]?.[0]?.split('.')[1] ?? ''
  return distinct(elements.map((element) => element[member])).join(', ')
}

/** Such as `MEL → HKG → GLA · SYD → MEL`: a dot where a leg does not begin where the one before ended. */
export function routeOf(segments: readonly ListRecord[]): string {
  let route = ''
  let at: unknown
  for (const { origin, destination } of segments) {
    if (typeof origin !== 'string' || typeof destination !== 'string' || origin === destination) continue
    if (route === '') route = origin
    else if (origin !== at) route += ` · ${origin}`
    route += ` → ${destination}`
    at = destination
  }
  return route
}
