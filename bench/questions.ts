/**
 * The requests of the workloads, as paths. A fresh request never has the same literals twice in a run, so that no cached
 * answer helps; the number of matches stays about the same.
 */
import type { BenchClient } from './dataset.ts'

export type Question = () => string

export type ListQuery = {
  readonly filter?: string
  readonly orderBy?: string
  readonly page?: number
  readonly pageSize?: number
}

export function listPath(list: string, { filter, orderBy, page, pageSize = 50 }: ListQuery = {}): string {
  const parameters = [
    `$pageSize=${pageSize}`,
    ...(page === undefined ? [] : [`$page=${page}`]),
    ...(filter === undefined ? [] : [`$filter=${encodeURIComponent(filter)}`]),
    ...(orderBy === undefined ? [] : [`$orderby=${encodeURIComponent(orderBy)}`]),
  ]
  return `/api/v2/${list}?${parameters.join('&')}`
}

export const keyOf = ({ apiKey }: BenchClient): Record<string, string> => ({ 'X-API-Key': apiKey })

/** Texts from the records of a client. */
export type ClientWords = {
  readonly agencies: readonly string[]
  /** A label whose values repeat, and some of its values. */
  readonly label: string
  readonly labelValues: readonly string[]
}

/** Takes texts from the first records of the client. */
export async function wordsOf(address: string, client: BenchClient): Promise<ClientWords> {
  const response = await fetch(address + listPath('bookings', { pageSize: 500 }), { headers: keyOf(client) })
  const { bookings } = (await response.json()) as { bookings: readonly BookingRecord[] }
  const byLabel = new Map<string, Set<string>>()
  for (const { customDataFields } of bookings) {
    for (const [label, value] of Object.entries(customDataFields)) {
      byLabel.set(label, (byLabel.get(label) ?? new Set()).add(value))
    }
  }
  const repeating = [...byLabel].filter(([, values]) => values.size < bookings.length / 10)
  const [label, values] = repeating.sort(([, a], [, b]) => b.size - a.size)[0] ?? ['none', new Set(['none'])]
  return {
    agencies: [...new Set(bookings.map(({ originatingAgency }) => originatingAgency))],
    label,
    labelValues: [...values],
  }
}

type BookingRecord = {
  readonly originatingAgency: string
  readonly customDataFields: Readonly<Record<string, string>>
}

let counter = 0

/** A range of dates and a boolean, sorted by two fields; a few thousand matches of 100,000. */
export function freshFilterAndSort(): string {
  const filter = `bookingDate ge '${day(366 + (counter % 300))}' and isTicketed eq true and modifiedAt ne '${freshInstant()}'`
  return listPath('bookings', { filter, orderBy: 'originatingAgency desc, tripStartLocal' })
}

/** A range of minutes and of text, sorted by two other orders: most records match, so that the sort costs most. */
export function freshRangeAndSort(): string {
  const filter = `tripStartLocal ge '${day(counter % 300)}T10:00' and recordLocator gt '${(counter++ % 46_656).toString(36)}'`
  return listPath('bookings', { filter, orderBy: 'modifiedAt desc, recordLocator' })
}

/** Equality on text and a range of dates, in the order of the index. */
export const freshEquality = (words: ClientWords): Question => {
  return () =>
    listPath('bookings', {
      filter: `originatingAgency eq ${quoted(pick(words.agencies))} and ${freshDates()}`,
    })
}

export const freshLabelEquality = (words: ClientWords): Question => {
  const label = `customDataFields[${quoted(words.label)}]`
  return () =>
    listPath('bookings', { filter: `${label} eq ${quoted(pick(words.labelValues))} and ${freshDates()}` })
}

const LOCATOR_LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'

/** Three characters anywhere in the record locator. */
export function freshContains(): string {
  // The multiplier has no common factor with the number of texts, so all of them occur before one repeats.
  const place = (counter++ * 7919) % LOCATOR_LETTERS.length ** 3
  const letters = [place >> 10, (place >> 5) & 31, place & 31].map((index) => LOCATOR_LETTERS[index])
  return listPath('bookings', { filter: `contains(recordLocator, '${letters.join('')}')` })
}

/** Text functions over two fields: one with few distinct texts, one in which all texts differ. */
export function freshTextFunctions(): string {
  const place = counter++
  const letter = (index: number) => LOCATOR_LETTERS[index % LOCATOR_LETTERS.length]
  const filter = `endswith(recordLocator, '${letter(place)}${letter(place >> 5)}') and startswith(originatingAgency, 'w') and modifiedAt ne '${freshInstant()}'`
  return listPath('bookings', { filter })
}

/** The given number of different conditions on invoice lines, joined by `or`: every line is tested against each of them. */
export const freshLines = (comparisons: number): Question => {
  const comparison = () => {
    const place = counter++
    const letters = [place >> 5, place].map((index) => LOCATOR_LETTERS[index % LOCATOR_LETTERS.length])
    return `any(lineItems, contains(description, '${letters.join('')}') and lineAmountIncGst gt ${place / 100})`
  }
  return () => listPath('invoices', { filter: Array.from({ length: comparisons }, comparison).join(' or ') })
}

const CARRIERS = ['QF', 'VA', 'NZ', 'SQ']

/** A segment of a carrier, from a flight number on. */
export function freshAny(): string {
  const carrier = pick(CARRIERS)
  const code = `${carrier}${Math.floor(counter++ / CARRIERS.length) % 10_000}`
  return listPath('itineraries', { filter: `any(segments, vendor eq '${carrier}' and code ge '${code}')` })
}

/** All records, through a filter that never repeats. */
export const freshPage = (page: number): Question => {
  return () => listPath('bookings', { filter: `modifiedAt ne '${freshInstant()}'`, page })
}

export const version1Page: Question = () => caretPath('IsTicketed^EQtrue')

export const freshCaretQuery: Question = () =>
  caretPath(`BookingDate^GE${day(366 + (counter % 300))};IsTicketed^EQtrue;CostCentre^NEnone ${counter++}`)

const caretPath = (query: string): string => `/api/v1/bookings?fetch=100&query=${encodeURIComponent(query)}`

/** A range of 30 to 389 days somewhere in the two years of the data: 118,800 of them. */
function freshDates(): string {
  const from = counter % 330
  const days = 30 + (Math.floor(counter++ / 330) % 360)
  return `bookingDate ge '${day(from)}' and bookingDate le '${day(from + days)}'`
}

/** A moment at which no record was modified. */
const freshInstant = (): string => new Date(Date.UTC(2020, 0, 1) + counter++).toISOString().slice(0, -1)

/** A day of the data, counted from 2024-01-01. */
const day = (index: number): string => new Date(Date.UTC(2024, 0, 1 + index)).toISOString().slice(0, 10)

const pick = (list: readonly string[]): string => list[counter % list.length] ?? ''

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`
