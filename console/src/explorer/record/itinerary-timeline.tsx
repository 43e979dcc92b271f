/** An itinerary as a line in time: its segments with an icon for each kind, and the stops between them. */
import {
  IconBed,
  IconCar,
  IconCircleDot,
  IconPlaneDeparture,
  IconRouteAltLeft,
  IconTrain,
} from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { formatTimeOfDay } from '../../format/dates.ts'
import { formatDuration } from '../../format/numbers.ts'
import { Day, LocalTime } from '../../parts/time.tsx'
import { Tone } from '../../parts/tone.tsx'
import { recordTexts } from '../../texts/records.ts'
import { Travellers } from './booking-details.tsx'
import classes from './record.module.css'
import { FieldsOf, Labels, RecordLink, type RecordProps, Section } from './record-parts.tsx'
import { RelatedInvoices } from './related-invoices.tsx'
import { isCancelled, type Segment, stayOf, type TimelineEntry, timelineOf } from './timeline.ts'

const texts = recordTexts.record

const summary = ['traveller', 'tripStartLocal', 'tripEndLocal', 'isTicketed', 'isInternational']

export function ItineraryTimeline({ record }: RecordProps): ReactNode {
  const entries = timelineOf((record.segments ?? []) as readonly Segment[])
  return (
    <>
      <Section title={texts.related}>
        <ul className={classes.plain}>
          <li>
            <RecordLink list="bookings" record={record}>
              {texts.booking}
            </RecordLink>
          </li>
          <RelatedInvoices locator={String(record.recordLocator)} />
        </ul>
      </Section>
      <Section title={texts.details}>
        <FieldsOf list="itineraries" record={record} names={summary} />
      </Section>
      <Section title={texts.timeline}>
        {entries.length === 0 ? (
          <p className={classes.nothing}>{texts.noSegments}</p>
        ) : (
          <ol className={classes.timeline}>
            {entries.map((entry) => (
              <Entry key={entry.position} entry={entry} />
            ))}
          </ol>
        )}
      </Section>
      <Travellers record={record} />
      <Labels record={record} />
    </>
  )
}

function Entry({ entry }: { readonly entry: TimelineEntry }): ReactNode {
  switch (entry.kind) {
    case 'day':
      return (
        <li className={classes.day}>
          <Day value={entry.day} />
        </li>
      )
    case 'stop':
      return <li className={classes.stop}>{texts.stop(durationOf(entry.minutes), entry.place)}</li>
    case 'jump':
      return <li className={classes.stop}>{texts.jump(entry.from, entry.to)}</li>
    case 'segment':
      return <SegmentEntry segment={entry.segment} />
  }
}

const MINUTES_OF_DAY = 1440

const durationOf = (minutes: number): string =>
  minutes < MINUTES_OF_DAY
    ? formatDuration(60_000 * minutes)
    : [
        texts.days(Math.floor(minutes / MINUTES_OF_DAY)),
        ...(minutes % MINUTES_OF_DAY >= 60 ? [`${Math.floor((minutes % MINUTES_OF_DAY) / 60)} h`] : []),
      ].join(' ')

const icons: Readonly<Record<string, typeof IconBed>> = {
  AIR: IconPlaneDeparture,
  HOTEL: IconBed,
  CAR: IconCar,
  RAIL: IconTrain,
  BUS: IconRouteAltLeft,
}

function SegmentEntry({ segment }: { readonly segment: Segment }): ReactNode {
  const Icon = icons[segment.segmentType] ?? IconCircleDot
  const stay = stayOf(segment)
  const places = [segment.origin, segment.destination].filter((place) => place !== null)
  return (
    <li className={classes.segment} data-cancelled={isCancelled(segment) || undefined}>
      <Icon size={20} aria-hidden className={classes.icon} />
      <div>
        <p className={classes.lead}>
          <strong>{[...new Set(places)].join(' → ')}</strong>{' '}
          {texts.kinds[segment.segmentType] ?? segment.segmentType}
          {stay !== undefined && ` · ${texts[stay.unit](stay.count)}`}
        </p>
        <p className={classes.aside}>
          {segment.startLocal === null && segment.endLocal === null ? (
            texts.timeUnknown
          ) : (
            <Times {...segment} />
          )}
        </p>
        <p className={classes.aside}>
          {serviceOf(segment)} <Status {...segment} />
        </p>
      </div>
    </li>
  )
}

/** Most codes begin with the vendor, such as `QF401` of `QF`. */
const serviceOf = ({ vendor, code }: Segment): string =>
  vendor !== null && code?.startsWith(vendor)
    ? code
    : [vendor, code].filter((text) => text !== null).join(' ')

/** The day of the start stands above the segment. */
function Times({ startLocal, endLocal }: Pick<Segment, 'startLocal' | 'endLocal'>): ReactNode {
  const endsThatDay = startLocal?.slice(0, 10) === endLocal?.slice(0, 10)
  return (
    <>
      {startLocal === null ? '–' : <TimeOfDay value={startLocal} />} {texts.until}{' '}
      {endsThatDay && endLocal !== null ? <TimeOfDay value={endLocal} /> : <LocalTime value={endLocal} />}
    </>
  )
}

const TimeOfDay = ({ value }: { readonly value: string }): ReactNode => (
  <time dateTime={value} title={value}>
    {formatTimeOfDay(value)}
  </time>
)

function Status({ status }: Pick<Segment, 'status'>): ReactNode {
  if (status === null) return null
  if (status === 'HK') return <Tone tone="good">{texts.confirmed}</Tone>
  if (status === 'XX') return <Tone tone="bad">{texts.cancelled}</Tone>
  return <Tone tone="neutral">{texts.statusCode(status)}</Tone>
}
