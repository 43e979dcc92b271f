/**
 * Writes one booking with its travellers, captured custom data and segments. Returns what its invoices need. Cancelled,
 * unticketed and half-known bookings are as frequent as in real data.
 */

import { MINUTES_PER_DAY } from '../../kernel/calendar.ts'
import { DECIMAL_SCALE } from '../../kernel/decimal.ts'
import type { BookingRow, WriteRow } from '../extract-rows.ts'
import { type Client, currencies, ownFields } from './client-list.ts'
import { locatorOf } from './locators.ts'
import { employee, notableNames, notablePerson, type Person } from './people.ts'
import type { Random } from './random.ts'
import { type Occurs, occurrence, rareCases, type TripShape, tripShapes } from './rare-cases.ts'
import { crossesBorder, makeTrip, type Segment, type Trip } from './trip.ts'

/** The part of a booking that its invoices need. */
export type Sale = {
  readonly client: Client
  readonly recordLocator: string
  readonly bookingDay: number
  /** The last day of invoices and changes. */
  readonly lastDay: number
  readonly trip: Trip
  readonly travellers: readonly Person[]
  readonly isInternational: boolean
  readonly isTicketed: boolean
  readonly isCancelled: boolean
  /** Only the required fields of the booking and of its invoice are known. */
  readonly nothingKnown: boolean
  readonly occurs: Occurs
}

export type BookingPlace = {
  /** Index in the whole extract; `numberOfClient` is the index among the client's bookings. */
  readonly number: number
  readonly numberOfClient: number
  readonly day: number
  readonly lastDay: number
}

export function writeBooking(random: Random, client: Client, place: BookingPlace, write: WriteRow): Sale {
  const occurs = occurrence(random, place.number)
  const nothingKnown = occurs('nothing-known', 0.002)
  const recordLocator = locatorOf(client, place.numberOfClient)
  const travellers = travellersOf(random, client, place.number, occurs)
  const trip = makeTrip(random, client, place.day, shapeOf(random, place.number))
  if (occurs('no-segments', 0.002)) trip.segments.length = 0
  const isCancelled = setStatuses(random, trip.segments, occurs)
  const hasTickets = trip.carrier !== null || trip.railOperator !== null
  const isTicketed = hasTickets && !(isCancelled && random.chance(0.5)) && !occurs('not-ticketed', 0.07)
  if (nothingKnown) trip.segments.push(unknownSegment)
  const key = { clientNumber: client.clientNumber, recordLocator }
  const isInternational = crossesBorder(trip.segments)
  const booking: BookingRow = {
    ...key,
    originatingAgency: client.agency,
    bookingDate: place.day,
    modifiedAt: modifiedAt(random, place, occurs),
    isTicketed,
    isInternational,
    ...tripTimes(trip.segments, place.day),
    ...(nothingKnown ? nothingCaptured : captured(random, client, travellers)),
    ...(nothingKnown ? nothingFlown : airTotals(trip)),
    currencyCode: nothingKnown ? null : (currencies[client.company] ?? null),
  }
  write('bookings', booking)
  for (const { name, department } of travellers) {
    write(
      'travellers',
      nothingKnown ? { ...key, name: null, department: null } : { ...key, name, department },
    )
  }
  writeCustomData(random, client, key, nothingKnown, occurs, write)
  const gap = occurs('gap-in-segment-numbers', 0.01) ? 2 : 1
  for (const [index, segment] of trip.segments.entries()) {
    write('segments', { ...key, segmentNumber: 1 + index * gap, ...segment })
  }
  return {
    client,
    recordLocator,
    bookingDay: place.day,
    lastDay: place.lastDay,
    trip,
    travellers,
    isInternational,
    isTicketed,
    isCancelled,
    nothingKnown,
    occurs,
  }
}

/** Percent of all trips, in the order of the shapes. */
const shapePercent = [34, 17, 5, 9, 11, 6, 2, 11, 5]

function shapeOf(random: Random, bookingNumber: number): TripShape {
  const steeredTo = rareCases[bookingNumber]
  const own = tripShapes.find((shape) => shape === steeredTo)
  if (own !== undefined) return own
  if (steeredTo !== undefined) return 'domestic-return'
  let left = random.below(100)
  for (const [index, percent] of shapePercent.entries()) {
    left -= percent
    if (left < 0) return tripShapes[index] ?? 'domestic-return'
  }
  return 'domestic-return'
}

function travellersOf(random: Random, client: Client, bookingNumber: number, occurs: Occurs): Person[] {
  const count = occurs('several-travellers', 0.09) ? random.between(2, 4) : 1
  const first = Math.floor(random.next() ** 1.5 * client.employees)
  return Array.from({ length: count }, (_, i) =>
    i === 0 && bookingNumber < notableNames.length
      ? notablePerson(client, bookingNumber)
      : employee(client, first + i),
  )
}

/** Sets the status of each segment. @returns whether the whole booking is cancelled */
function setStatuses(random: Random, segments: Segment[], occurs: Occurs): boolean {
  segments.sort((a, b) => (a.startLocal ?? 0) - (b.startLocal ?? 0))
  const isCancelled = occurs('wholly-cancelled', 0.04)
  for (const segment of segments) segment.status = isCancelled ? 'XX' : 'HK'
  if (isCancelled || segments.length === 0) return isCancelled
  const one = random.pick(segments)
  if (occurs('segment-cancelled', 0.03)) one.status = 'XX'
  for (const { rareCase, status, probability } of unconfirmed) {
    if (occurs(rareCase, probability)) one.status = status
  }
  return false
}

/** Statuses: cancelled by the carrier, unable to confirm, waiting list. */
const unconfirmed = [
  { rareCase: 'status-HX', status: 'HX', probability: 0.006 },
  { rareCase: 'status-UN', status: 'UN', probability: 0.004 },
  { rareCase: 'status-WL', status: 'WL', probability: 0.005 },
] as const

/** A segment that an agent entered as a note: a type and nothing else. */
const unknownSegment: Segment = {
  segmentType: 'MISC',
  startLocal: null,
  endLocal: null,
  origin: null,
  destination: null,
  vendor: null,
  code: null,
  status: null,
}

/** From the first departure to the last arrival; a booking without segments gets the day after it was made. */
function tripTimes(
  segments: readonly Segment[],
  bookingDay: number,
): Pick<BookingRow, 'tripStartLocal' | 'tripEndLocal'> {
  const starts = segments.flatMap(({ startLocal }) => startLocal ?? [])
  const ends = segments.flatMap(({ endLocal }) => endLocal ?? [])
  const workday = (bookingDay + 1) * MINUTES_PER_DAY
  return {
    tripStartLocal: starts.length === 0 ? workday + 9 * 60 : Math.min(...starts),
    tripEndLocal: ends.length === 0 ? workday + 17 * 60 : Math.max(...ends),
  }
}

type AirTotals = Pick<
  BookingRow,
  'tripStartUtc' | 'tripEndUtc' | 'totalAirDistance' | 'totalAirDuration' | 'totalAirDurationSeconds'
>

const nothingFlown: AirTotals = {
  tripStartUtc: null,
  tripEndUtc: null,
  totalAirDistance: null,
  totalAirDuration: null,
  totalAirDurationSeconds: null,
}

/** In kilometres, and in minutes of local time because the demo has no time zones. */
function airTotals({ kilometres, segments }: Trip): AirTotals {
  const minutes = segments
    .filter(({ segmentType }) => segmentType === 'AIR')
    .reduce((sum, { startLocal, endLocal }) => sum + (endLocal ?? 0) - (startLocal ?? 0), 0)
  const clock = `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`
  return {
    ...nothingFlown,
    totalAirDistance: kilometres * DECIMAL_SCALE,
    totalAirDuration: clock,
    totalAirDurationSeconds: minutes * 60,
  }
}

/** A moment in working hours, or a later change: within weeks and before the end of the extract. */
function modifiedAt(random: Random, { day, lastDay }: BookingPlace, occurs: Occurs): number {
  const made = day * MINUTES_PER_DAY + random.between(8 * 60, 18 * 60)
  if (occurs('never-modified', 0.4)) return made
  const changed = made + Math.floor(random.next() ** 2 * 30 * MINUTES_PER_DAY)
  return Math.min(changed, lastDay * MINUTES_PER_DAY + MINUTES_PER_DAY - 1)
}

type Captured = Pick<
  BookingRow,
  | 'traveller'
  | 'department'
  | 'employeeId'
  | 'costCentre'
  | 'purchaseOrder'
  | 'bookedBy'
  | 'authorisedBy'
  | 'customData1'
  | 'customData2'
>

const nothingCaptured: Captured = {
  traveller: null,
  department: null,
  employeeId: null,
  costCentre: null,
  purchaseOrder: null,
  bookedBy: null,
  authorisedBy: null,
  customData1: null,
  customData2: null,
}

/** A field with a label of the client is captured almost always, any other field now and then. */
function captured(random: Random, client: Client, [traveller]: readonly Person[]): Captured {
  const filled = (column: string, otherwise: number) =>
    random.chance(client.labels.some(({ field }) => field === column) ? 0.93 : otherwise)
  const colleague = () => employee(client, random.below(client.employees)).name
  return {
    traveller: traveller?.name ?? null,
    department: filled('department', 0.85) ? (traveller?.department ?? null) : null,
    employeeId: filled('employee_id', 0.8) ? (traveller?.employeeId ?? null) : null,
    costCentre: filled('cost_centre', 0.8) ? (traveller?.costCentre ?? null) : null,
    purchaseOrder: filled('purchase_order', 0.25) ? `PO-${random.between(10_000, 99_999)}` : null,
    bookedBy: filled('booked_by', 0.7) ? colleague() : null,
    authorisedBy: filled('authorised_by', 0.4) ? colleague() : null,
    customData1: filled('custom_data1', 0.2) ? random.pickEarly(projects) : null,
    customData2: filled('custom_data2', 0.2) ? random.pick(matters) : null,
  }
}

/** Writes rows of the client's own fields. A blank answer is an empty text; a question that was not asked is null. */
function writeCustomData(
  random: Random,
  client: Client,
  key: { clientNumber: string; recordLocator: string },
  nothingKnown: boolean,
  occurs: Occurs,
  write: WriteRow,
): void {
  const blank = occurs('blank-custom-value', 0.01)
  const fields = ownFields(client)
  for (const field of fields.length === 0 && (blank || nothingKnown) ? [UNLABELLED] : fields) {
    if (blank || nothingKnown) write('booking_custom_data', { ...key, field, value: blank ? '' : null })
    else if (random.chance(0.85)) write('booking_custom_data', { ...key, field, value: answer(random) })
  }
}

/** A field that some clients capture although no label shows it. */
const UNLABELLED = 'UDID99'

function answer(random: Random): string | null {
  if (random.chance(0.04)) return random.chance(0.5) ? '' : null
  return random.pickEarly(answers)
}

const answers: readonly string[] = [
  'Client meeting',
  'Conference',
  'Site visit',
  'Training',
  'Internal meeting',
  'Not applicable',
  'Band B',
  'Project "Wattle", phase 2',
  "Managing Director's request",
  '0042',
  'Kundenbesuch (Zürich)',
  '客户拜访',
  '2024-07-01',
  'true',
]

const projects: readonly string[] = [
  'P-1001',
  'P-1002',
  'P-2040',
  'WBS 4.2.1',
  'Wattle',
  '000817',
  "Engineers' Week",
  'Ångström/Nord',
  '',
]

const matters: readonly string[] = ['M10023', 'M10024-07', 'Haddad, in re', 'general', '1e5', '-']
