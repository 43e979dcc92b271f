/**
 * Spreads bookings over the two years before a given day: busy from Tuesday to Thursday, quiet at weekends, over Christmas
 * and in January.
 */

import type { Client } from './client-list.ts'
import type { Random } from './random.ts'

/** The days on which bookings are made. The last one is also the last of invoices and changes; trips and due dates may be later. */
export type BookingDays = { readonly first: number; readonly last: number }

const DAYS = 731

/** A warehouse writes an extract in the night, so the last records are of the day before. */
export const daysBefore = (today: number): BookingDays => ({ first: today - DAYS, last: today - 1 })

/** 1970-01-01 was a Thursday; Monday is 0. */
export const weekday = (day: number): number => (day + 3) % 7

export type DatedBooking = { readonly client: number; readonly day: number }

/** The days and clients of all bookings, oldest first and with mixed clients, as a warehouse writes them. */
export function* bookingsInDateOrder(
  random: Random,
  clients: readonly Client[],
  { first, last }: BookingDays,
): Generator<DatedBooking> {
  const cumulated = cumulatedWeights(first, last)
  const days = new Uint16Array(clients.reduce((total, { bookings }) => total + bookings, 0))
  for (let i = 0; i < days.length; i++) days[i] = sampleDay(random, cumulated)
  const clientOf = clientsByDay(clients, days, cumulated.length)
  days.sort()
  for (let i = 0; i < days.length; i++) yield { client: clientOf[i] ?? 0, day: first + (days[i] ?? 0) }
}

/** A counting sort by day: the client of the i-th booking in date order. */
function clientsByDay(clients: readonly Client[], days: Uint16Array, dayCount: number): Uint32Array {
  const next = new Uint32Array(dayCount + 1)
  for (const day of days) next[day + 1] = (next[day + 1] ?? 0) + 1
  for (let day = 0; day < dayCount; day++) next[day + 1] = (next[day + 1] ?? 0) + (next[day] ?? 0)
  const clientOf = new Uint32Array(days.length)
  let booking = 0
  for (const [index, client] of clients.entries()) {
    for (let n = 0; n < client.bookings; n++) {
      const day = days[booking++] ?? 0
      const place = next[day] ?? 0
      clientOf[place] = index
      next[day] = place + 1
    }
  }
  return clientOf
}

function sampleDay(random: Random, cumulated: Float64Array): number {
  const target = random.next() * (cumulated.at(-1) ?? 0)
  let low = 0
  let high = cumulated.length - 1
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((cumulated[middle] ?? 0) > target) high = middle
    else low = middle + 1
  }
  return low
}

const byWeekday = [1.05, 1.15, 1.15, 1.05, 0.85, 0.1, 0.12]
const byMonth = [0.75, 1.05, 1.15, 0.95, 1.1, 1.05, 0.85, 0.95, 1.15, 1.2, 1.1, 0.65]
const DAYS_OF_QUIET_AT_YEAR_END = 9
const GROWTH_PER_DAY = 0.1 / 365

function cumulatedWeights(first: number, last: number): Float64Array {
  const weights = new Float64Array(last - first + 1)
  let total = 0
  for (let i = 0; i < weights.length; i++) {
    total += weightOf(first + i) * (1 + i * GROWTH_PER_DAY)
    weights[i] = total
  }
  return weights
}

function weightOf(day: number): number {
  const date = new Date(day * 86_400_000)
  const quiet = date.getUTCMonth() === 11 && date.getUTCDate() > 31 - DAYS_OF_QUIET_AT_YEAR_END
  return (byWeekday[weekday(day)] ?? 0) * (byMonth[date.getUTCMonth()] ?? 0) * (quiet ? 0.25 : 1)
}
