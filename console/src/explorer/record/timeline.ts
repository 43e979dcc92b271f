/**
 * A trip as a line of segments and what lies between them. Times are local times of their places: a difference is only told
 * where both times are of one place.
 */

export type Segment = {
  readonly segmentNumber: number
  readonly segmentType: string
  readonly startLocal: string | null
  readonly endLocal: string | null
  readonly origin: string | null
  readonly destination: string | null
  readonly vendor: string | null
  readonly code: string | null
  readonly status: string | null
}

export type TimelineEntry =
  | { readonly kind: 'day'; readonly day: string }
  | { readonly kind: 'segment'; readonly segment: Segment }
  /** Between the arrival in a place and the departure from it. */
  | { readonly kind: 'stop'; readonly place: string; readonly minutes: number }
  /** The next leg begins elsewhere. */
  | { readonly kind: 'jump'; readonly from: string; readonly to: string }

/** `position` counts from 0. */
type PlacedEntry = TimelineEntry & { readonly position: number }

const CANCELLED = 'XX'

export const isCancelled = ({ status }: Segment): boolean => status === CANCELLED

/**
 * Entries may look alike, such as the stops of somebody who commutes: their positions tell them apart.
 *
 * @param segments by their number
 */
export const timelineOf = (segments: readonly Segment[]): readonly PlacedEntry[] =>
  entriesOf(segments).map((entry, position) => ({ ...entry, position }))

function entriesOf(segments: readonly Segment[]): readonly TimelineEntry[] {
  const entries: TimelineEntry[] = []
  let day: string | undefined
  let leg: Leg | undefined
  for (const [index, segment] of segments.entries()) {
    if (isLeg(segment)) {
      if (leg !== undefined && leg.destination !== segment.origin) {
        entries.push({ kind: 'jump', from: leg.destination, to: segment.origin })
      }
      leg = segment
    }
    const begins = segment.startLocal?.slice(0, 10)
    if (begins !== undefined && begins !== day) entries.push({ kind: 'day', day: (day = begins) })
    entries.push({ kind: 'segment', segment })
    const next = isLeg(segment) ? segments.slice(index + 1).find(isLeg) : undefined
    const minutes = next && segment.destination === next.origin ? minutesBetween(segment, next) : undefined
    if (minutes !== undefined) entries.push({ kind: 'stop', place: segment.destination ?? '', minutes })
  }
  return entries
}

type Leg = Segment & { readonly origin: string; readonly destination: string }

const isLeg = (segment: Segment): segment is Leg =>
  segment.origin !== null &&
  segment.destination !== null &&
  segment.origin !== segment.destination &&
  !isCancelled(segment)

function minutesBetween({ endLocal }: Segment, { startLocal }: Segment): number | undefined {
  if (endLocal === null || startLocal === null) return undefined
  const minutes = (instantOf(startLocal) - instantOf(endLocal)) / 60_000
  return minutes >= 0 ? minutes : undefined
}

const instantOf = (local: string): number => Date.parse(`${local}:00Z`)

export type Stay = { readonly unit: 'nights' | 'days'; readonly count: number }

const units: Readonly<Record<string, Stay['unit']>> = { HOTEL: 'nights', CAR: 'days' }

/** How long a hotel or a car is used. */
export function stayOf({ segmentType, startLocal, endLocal }: Segment): Stay | undefined {
  const unit = units[segmentType]
  if (unit === undefined || startLocal === null || endLocal === null) return undefined
  const exact =
    unit === 'nights'
      ? instantOf(`${endLocal.slice(0, 10)}T00:00`) - instantOf(`${startLocal.slice(0, 10)}T00:00`)
      : instantOf(endLocal) - instantOf(startLocal)
  const count = Math.ceil(exact / 86_400_000)
  return count > 0 ? { unit, count } : undefined
}
