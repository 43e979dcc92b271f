/** The database contract of the peers' application. */
import type { Condition } from './filters.ts'

export type List = 'bookings' | 'itineraries'

export type PageQuery = {
  readonly list: List
  readonly clientNumber: string
  readonly condition: Condition
  readonly order: string
  readonly limit: number
  readonly offset: number
}

type Page = { readonly total: number; readonly records: readonly string[] }

export type Store = {
  readonly page: (query: PageQuery) => Promise<Page>
  /** All records in the default order, read piece by piece. */
  readonly all: (list: List, clientNumber: string) => AsyncIterable<string>
}

/** The column that holds the finished JSON text of a record. */
export const jsonColumn: Readonly<Record<List, string>> = {
  bookings: 'b.booking_json',
  itineraries: 'b.itinerary_json',
}

export const countSql = ({ condition }: PageQuery): string =>
  `select count(*) as total from bookings b where b.client_number = $1${condition.sql}`

/** Limit and offset are the last two parameters. */
export function pageSql({ list, condition, order }: PageQuery): string {
  const next = condition.parameters.length + 2
  return `select ${jsonColumn[list]} as record from bookings b
    where b.client_number = $1${condition.sql} order by ${order} limit $${next} offset $${next + 1}`
}
