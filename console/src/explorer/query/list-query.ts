/**
 * What a list shows: which records, in which order, with which columns. It is read from the address and written to it, so that
 * a link shows the same, and it becomes the parameters of the API.
 */
import type { ListName } from '../fields/list-fields.ts'
import { placeOf, splitPaths } from '../fields/paths.ts'

export type SortClause = { readonly path: string; readonly isDescending: boolean }

export type ListQuery = {
  readonly list: ListName
  /** The text of `$filter`; empty for every record. */
  readonly filter: string
  /** The primary one first. Without any, the address has the usual order of the list. */
  readonly sort: readonly SortClause[]
  /** Paths in the order of the table. */
  readonly columns: readonly string[]
  /** How many of the first columns stay when the table is scrolled sideways. */
  readonly pinnedCount: number
  /** Pixels, of columns that were resized. */
  readonly widths: Readonly<Record<string, number>>
}

type Defaults = Pick<ListQuery, 'sort' | 'columns' | 'pinnedCount'>

const newestFirst = (path: string): readonly SortClause[] => [{ path, isDescending: true }]

export const defaultsOf: { readonly [Name in ListName]: Defaults } = {
  bookings: {
    sort: newestFirst('bookingDate'),
    columns: splitPaths(
      'recordLocator,traveller,bookingDate,tripStartLocal,tripEndLocal,isTicketed,isInternational,department,costCentre,originatingAgency',
    ),
    pinnedCount: 1,
  },
  itineraries: {
    sort: newestFirst('tripStartLocal'),
    columns: splitPaths(
      'recordLocator,traveller,tripStartLocal,tripEndLocal,segments,segmentCount,isTicketed,department,originatingAgency',
    ),
    pinnedCount: 1,
  },
  invoices: {
    sort: newestFirst('invoiceDate'),
    columns: splitPaths(
      'invoiceNumber,invoiceDate,dueDate,recordLocator,totalAmount,balanceAmount,currencyCode,department,lineItems,company',
    ),
    pinnedCount: 1,
  },
}

/** The parameters of the address that belong to the query. */
const queryNames = ['filter', 'orderby', 'columns', 'pinned', 'widths'] as const
export type QueryAddress = { readonly [Name in (typeof queryNames)[number]]?: string | undefined }

const NARROWEST = 48
const WIDEST = 1200

/** Columns that the list does not have are left out, because an address may be mistyped or older than the service. */
export function readQuery(list: ListName, address: QueryAddress): ListQuery {
  const defaults = defaultsOf[list]
  const asked = splitPaths(address.columns ?? '').filter((path) => placeOf(list, path) !== undefined)
  const columns = asked.length > 0 ? [...new Set(asked)] : defaults.columns
  const pinned = Number(address.pinned ?? defaults.pinnedCount)
  return {
    list,
    filter: address.filter?.trim() ?? '',
    sort: address.orderby ? readSort(address.orderby) : defaults.sort,
    columns,
    pinnedCount: Number.isInteger(pinned) ? Math.min(Math.max(pinned, 0), columns.length) : 0,
    widths: readWidths(columns, address.widths ?? ''),
  }
}

/** What equals the default is left out. */
export function writeQuery({ list, filter, sort, columns, pinnedCount, widths }: ListQuery): QueryAddress {
  const defaults = defaultsOf[list]
  const unlessDefault = (text: string, usual: string) => (text === usual ? undefined : text)
  return {
    filter: filter === '' ? undefined : filter,
    orderby: unlessDefault(writeSort(sort), writeSort(defaults.sort)),
    columns: unlessDefault(columns.join(','), defaults.columns.join(',')),
    pinned: unlessDefault(String(pinnedCount), String(defaults.pinnedCount)),
    widths: unlessDefault(
      columns.map((path) => widths[path] ?? '').join('.'),
      '.'.repeat(columns.length - 1),
    ),
  }
}

export const readSort = (text: string): readonly SortClause[] =>
  splitPaths(text).map((clause) => {
    const [, path = clause, direction = ''] = /^(.*?)(?:\s+(asc|desc))?$/is.exec(clause) ?? []
    return { path, isDescending: direction.toLowerCase() === 'desc' }
  })

export const writeSort = (sort: readonly SortClause[]): string =>
  sort.map(({ path, isDescending }) => (isDescending ? `${path} desc` : path)).join(',')

function readWidths(columns: readonly string[], text: string): Readonly<Record<string, number>> {
  const widths: Record<string, number> = {}
  const pixels = text.split('.').map(Number)
  for (const [index, path] of columns.entries()) {
    const width = pixels[index] ?? 0
    if (width > 0) widths[path] = Math.round(Math.min(Math.max(width, NARROWEST), WIDEST))
  }
  return widths
}

/** Of the API, with their `$`. */
export type QueryParameters = { $filter?: string; $orderby?: string; $select: string }

/** The query as parameters of `/api/v2/{list}`; paging is the caller's. */
export const queryParameters = ({ filter, sort, columns }: ListQuery): QueryParameters => ({
  ...filterParameter(filter),
  ...(sort.length > 0 && { $orderby: writeSort(sort) }),
  $select: columns.join(','),
})

/** For calls that take the records but neither their order nor their columns, such as groups. */
export const filterParameter = (filter: string): { $filter?: string } =>
  filter === '' ? {} : { $filter: filter }
