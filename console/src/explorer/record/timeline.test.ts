import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Segment, stayOf, type TimelineEntry, timelineOf } from './timeline.ts'

let number = 0
const segment = (segmentType: string, from: string, to: string, status = 'HK'): Segment => {
  const [origin = '', startLocal = ''] = from.split(' ')
  const [destination = '', endLocal = ''] = to.split(' ')
  const orNull = (text: string) => (text === '' || text === '-' ? null : text)
  return {
    segmentNumber: ++number,
    segmentType,
    origin: orNull(origin),
    startLocal: orNull(startLocal),
    destination: orNull(destination),
    endLocal: orNull(endLocal),
    vendor: null,
    code: null,
    status,
  }
}

const written = (entry: TimelineEntry): string => {
  switch (entry.kind) {
    case 'day':
      return entry.day
    case 'segment':
      return entry.segment.segmentType
    case 'stop':
      return `${entry.minutes} min in ${entry.place}`
    case 'jump':
      return `${entry.from} to ${entry.to}`
  }
}

describe('timelineOf', () => {
  it('has days, segments, and stops where both times are of one place', () => {
    const entries = timelineOf([
      segment('AIR', 'MEL 2026-03-01T06:00', 'HKG 2026-03-01T13:00'),
      segment('AIR', 'HKG 2026-03-01T15:10', 'LHR 2026-03-01T21:00'),
      segment('HOTEL', 'LHR 2026-03-01T22:00', '- 2026-03-03T10:00'),
      segment('AIR', 'LHR 2026-03-03T12:00', 'MEL 2026-03-04T20:00'),
    ])
    assert.deepEqual(entries.map(written), [
      ...['2026-03-01', 'AIR', '130 min in HKG', 'AIR', '2340 min in LHR', 'HOTEL'],
      ...['2026-03-03', 'AIR'],
    ])
  })

  it('says where a leg begins elsewhere, and passes over cancelled legs', () => {
    const entries = timelineOf([
      segment('AIR', 'MEL 2026-03-01T06:00', 'SYD 2026-03-01T07:25'),
      segment('AIR', 'SYD 2026-03-01T09:00', 'BNE 2026-03-01T10:00', 'XX'),
      segment('RAIL', 'CBR 2026-03-01T15:00', 'SYD 2026-03-01T19:00'),
    ])
    assert.deepEqual(entries.map(written), ['2026-03-01', 'AIR', 'AIR', 'SYD to CBR', 'RAIL'])
  })

  it('takes segments without times and places', () => {
    assert.deepEqual(timelineOf([segment('MISC', '-', '-')]).map(written), ['MISC'])
    const unknown = [segment('AIR', 'A', 'B'), segment('AIR', 'B', 'C')]
    assert.deepEqual(timelineOf(unknown).map(written), ['AIR', 'AIR'])
  })
})

describe('stayOf', () => {
  const rows = [
    ['HOTEL', '2026-03-01T23:00', '2026-03-03T10:00', { unit: 'nights', count: 2 }],
    ['CAR', '2026-03-01T09:00', '2026-03-03T10:00', { unit: 'days', count: 3 }],
    ['AIR', '2026-03-01T09:00', '2026-03-03T10:00', undefined],
    ['HOTEL', '2026-03-01T09:00', '-', undefined],
  ] as const
  for (const [type, start, end, stay] of rows) {
    it(`of ${type} from ${start} to ${end} is ${JSON.stringify(stay)}`, () =>
      assert.deepEqual(stayOf(segment(type, `MEL ${start}`, `- ${end}`)), stay))
  }
})
