/**
 * Invents one trip: flights or trains from stop to stop, hotel nights and car hire in between, each segment begins after
 * the traveller can have arrived. Times are local without time zones, so a trip always runs forward.
 */

import { MINUTES_PER_DAY } from '../../kernel/calendar.ts'
import { weekday } from './booking-days.ts'
import type { Client } from './client-list.ts'
import {
  type Airport,
  airports,
  airportsByCountry,
  countryOf,
  flightMinutes,
  hubs,
  kilometresBetween,
  type RailLine,
  railLines,
} from './places.ts'
import { type Random, scatter } from './random.ts'
import type { TripShape } from './rare-cases.ts'
import {
  type Carrier,
  carClasses,
  carriersBetween,
  carVendors,
  hotelChains,
  type Supplier,
} from './suppliers.ts'

export type Segment = {
  segmentType: string
  startLocal: number | null
  endLocal: number | null
  origin: string | null
  destination: string | null
  vendor: string | null
  code: string | null
  status: string | null
}

/** The segments of a trip, and what its invoice needs. Times are minutes since 1970. */
export type Trip = {
  readonly segments: Segment[]
  /** For example `SYD-MEL-SYD`; empty without flights and trains. */
  routing: string
  kilometres: number
  railMinutes: number
  hotel: Supplier | null
  hotelNights: number
  car: Supplier | null
  carDays: number
  carrier: Carrier | null
  railOperator: string | null
}

export function makeTrip(random: Random, client: Client, bookingDay: number, shape: TripShape): Trip {
  const trip: Trip = {
    segments: [],
    routing: '',
    kilometres: 0,
    railMinutes: 0,
    hotel: null,
    hotelNights: 0,
    car: null,
    carDays: 0,
    carrier: null,
    railOperator: null,
  }
  const journey: Journey = { random, trip, clock: departureDay(random, bookingDay) * MINUTES_PER_DAY }
  itineraries[shape](journey, client.home)
  return trip
}

/** True exactly when a flight or a train crosses a border; changing cars or hotels abroad does not count. */
export function crossesBorder(segments: readonly Segment[]): boolean {
  return segments.some(
    ({ segmentType, origin, destination }) =>
      (segmentType === 'AIR' || segmentType === 'RAIL') &&
      origin !== null &&
      destination !== null &&
      countryOf(origin) !== countryOf(destination),
  )
}

/** An unfinished trip; `clock` is the minute that the traveller has reached. */
type Journey = { readonly random: Random; readonly trip: Trip; clock: number }

const itineraries: { readonly [Shape in TripShape]: (journey: Journey, home: Airport) => void } = {
  'domestic-return': (journey, home) => {
    const away = domesticDestination(journey.random, home)
    travelReturn(journey, home, away, journey.random.pickEarly([1, 2, 0, 3, 4]))
  },
  'international-return': (journey, home) => {
    travelReturn(journey, home, foreignDestination(journey.random, home), journey.random.between(2, 9))
  },
  'connecting-flights': (journey, home) => {
    travelReturn(journey, home, farDestination(journey.random, home), journey.random.between(4, 14))
  },
  'multi-city': (journey, home) => {
    const { random } = journey
    let place = home
    for (let stops = random.between(2, 4); stops > 0; stops--) {
      const next = random.chance(0.5) ? domesticDestination(random, place) : foreignDestination(random, place)
      fly(journey, place, next)
      stay(journey, next, random.between(1, 4))
      place = next
    }
    if (place !== home) fly(journey, place, home)
  },
  'domestic-one-way': (journey, home) => fly(journey, home, domesticDestination(journey.random, home)),
  'rail-within-country': (journey, home) => railReturn(journey, home, (from, to) => from === to),
  'rail-across-border': (journey, home) => railReturn(journey, home, (from, to) => from !== to),
  'hotel-only': (journey, home) => {
    const place = journey.random.chance(0.7) ? domesticDestination(journey.random, home) : home
    journey.clock += 14 * 60
    lodge(journey, place.code, journey.random.between(1, 5))
  },
  'car-only': (journey, home) => {
    journey.clock += 9 * 60
    hireCar(journey, home.code, journey.clock + journey.random.between(1, 6) * 720)
  },
}

/** Most trips begin within a month, and most of those that fall on a weekend move to Monday. */
function departureDay(random: Random, bookingDay: number): number {
  const day = bookingDay + 1 + Math.floor(random.next() ** 3 * 120)
  return weekday(day) > 4 && random.chance(0.8) ? day + 7 - weekday(day) : day
}

function domesticDestination(random: Random, from: Airport): Airport {
  const others = (airportsByCountry.get(from.country) ?? []).filter(({ city }) => city !== from.city)
  return others.length === 0 ? foreignDestination(random, from) : random.pickEarly(others)
}

function foreignDestination(random: Random, from: Airport): Airport {
  for (;;) {
    const place = random.pickEarly(airports)
    if (place.country !== from.country) return place
  }
}

const FAR_KILOMETRES = 9000

function farDestination(random: Random, from: Airport): Airport {
  for (;;) {
    const place = random.pick(airports)
    if (place.country !== from.country && kilometresBetween(from, place) > FAR_KILOMETRES) return place
  }
}

function travelReturn(journey: Journey, home: Airport, away: Airport, nights: number): void {
  fly(journey, home, away)
  stay(journey, away, nights)
  fly(journey, away, home)
}

/** Beyond the range of one flight, the journey changes planes at the hub that adds the fewest kilometres. */
function fly(journey: Journey, from: Airport, to: Airport): void {
  const hub = kilometresBetween(from, to) < FAR_KILOMETRES ? undefined : hubBetween(from, to)
  if (hub === undefined) {
    flyLeg(journey, from, to, 0)
  } else {
    flyLeg(journey, from, hub, 0)
    flyLeg(journey, hub, to, journey.random.between(12, 40) * 5)
  }
}

function hubBetween(from: Airport, to: Airport): Airport | undefined {
  const detour = (hub: Airport) => kilometresBetween(from, hub) + kilometresBetween(hub, to)
  return hubs
    .filter(({ country }) => country !== from.country && country !== to.country)
    .sort((a, b) => detour(a) - detour(b))[0]
}

const FIRST_DEPARTURE = 6 * 60
const LAST_DEPARTURE = 21 * 60

/** A connection leaves within the given minutes; other flights are spread from morning to evening. */
function flyLeg(journey: Journey, from: Airport, to: Airport, connection: number): void {
  const { random, trip } = journey
  const kilometres = kilometresBetween(from, to)
  const carrier = random.pickEarly(carriersBetween(from.country, to.country))
  const start = connection > 0 ? journey.clock + connection : nextDeparture(journey)
  const flight = (scatter(from.latitude * 100 + to.longitude * 7) % 880) + 1 + random.below(4)
  trip.segments.push({
    segmentType: 'AIR',
    startLocal: start,
    endLocal: start + flightMinutes(kilometres),
    origin: from.code,
    destination: to.code,
    vendor: carrier.code,
    code: `${carrier.code}${flight}`,
    status: 'HK',
  })
  trip.kilometres += kilometres
  trip.carrier ??= carrier
  arrive(journey, from.code, to.code)
}

function arrive(journey: Journey, from: string, to: string): void {
  const { trip } = journey
  trip.routing = trip.routing === '' ? `${from}-${to}` : `${trip.routing}-${to}`
  journey.clock = trip.segments.at(-1)?.endLocal ?? journey.clock
}

function nextDeparture({ random, clock }: Journey): number {
  const earliest = clock + 45 + random.below(48) * 5
  const day = Math.floor(earliest / MINUTES_PER_DAY)
  const timeOfDay = earliest - day * MINUTES_PER_DAY
  const spread = random.below(36) * 5
  if (timeOfDay < FIRST_DEPARTURE) return day * MINUTES_PER_DAY + FIRST_DEPARTURE + spread
  if (timeOfDay > LAST_DEPARTURE) return (day + 1) * MINUTES_PER_DAY + FIRST_DEPARTURE + spread
  return Math.ceil(earliest / 5) * 5
}

/** A stay: perhaps a hotel, perhaps a car; the traveller is ready to leave on the morning or afternoon of the last day. */
function stay(journey: Journey, place: Airport, nights: number): void {
  const { random } = journey
  const arrival = journey.clock
  if (nights > 0 && random.chance(0.6)) lodge(journey, place.code, nights)
  const lastDay = (Math.floor(arrival / MINUTES_PER_DAY) + nights) * MINUTES_PER_DAY
  const ready = Math.max(lastDay + random.between(11, 18) * 60, arrival + 150)
  if (random.chance(0.22)) {
    journey.clock = arrival + 30
    hireCar(journey, place.code, ready)
  }
  journey.clock = ready
}

/** Check-in at 15:00 or on arrival, check-out at 10:00. */
function lodge(journey: Journey, place: string, nights: number): void {
  const { random, trip, clock } = journey
  const chain = random.pickEarly(hotelChains)
  const day = Math.floor(clock / MINUTES_PER_DAY) * MINUTES_PER_DAY
  trip.segments.push({
    segmentType: 'HOTEL',
    startLocal: Math.max(day + 15 * 60, clock + 30),
    endLocal: day + nights * MINUTES_PER_DAY + 10 * 60,
    origin: place,
    destination: null,
    vendor: chain.code,
    code: `${chain.code}${place}${String(random.between(1, 9)).padStart(2, '0')}`,
    status: 'HK',
  })
  trip.hotel ??= chain
  trip.hotelNights += nights
}

function hireCar(journey: Journey, place: string, until: number): void {
  const { random, trip, clock } = journey
  const vendor = random.pickEarly(carVendors)
  trip.segments.push({
    segmentType: 'CAR',
    startLocal: clock,
    endLocal: until,
    origin: place,
    destination: place,
    vendor: vendor.code,
    code: random.pickEarly(carClasses),
    status: 'HK',
  })
  trip.car ??= vendor
  trip.carDays += Math.ceil(((until - clock) / MINUTES_PER_DAY) * 2) / 2
}

/** There and back on one line, preferably in the traveller's own country. */
function railReturn(journey: Journey, home: Airport, kind: (from: Country, to: Country) => boolean): void {
  const lines = railLines.filter(({ from, to }) => kind(countryOf(from), countryOf(to)))
  const near = lines.filter(({ from }) => countryOf(from) === home.country)
  const line = journey.random.pick(near.length > 0 ? near : lines)
  const nights = journey.random.between(0, 2)
  journey.clock += journey.random.between(12, 20) * 30
  rideTrain(journey, line, line.from, line.to)
  const lastDay = (Math.floor(journey.clock / MINUTES_PER_DAY) + nights) * MINUTES_PER_DAY
  if (nights > 0) lodge(journey, line.to, nights)
  journey.clock = Math.max(journey.clock + 120, lastDay + journey.random.between(11, 17) * 60)
  rideTrain(journey, line, line.to, line.from)
}

type Country = string | undefined

function rideTrain(journey: Journey, line: RailLine, from: string, to: string): void {
  const { random, trip, clock } = journey
  trip.segments.push({
    segmentType: 'RAIL',
    startLocal: clock,
    endLocal: clock + line.minutes,
    origin: from,
    destination: to,
    vendor: line.vendor,
    code: `${line.vendor}${random.between(1000, 9899)}`,
    status: 'HK',
  })
  trip.railMinutes += line.minutes
  trip.railOperator = line.operator
  arrive(journey, from, to)
}
