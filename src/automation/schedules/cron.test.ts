import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { campaignSeed, repeated } from '../../../test/campaign.ts'
import { cronFaults, dueTimes, isTimeZone } from './cron.ts'
import { MINUTE_MS, minuteWalker } from './testing/minute-walker.ts'

describe('a cron text', () => {
  const good = [
    '0 6 * * MON-FRI',
    '*/15 9-17 * * *',
    '0,30 0-23/2 1,15 jan-jun sun',
    '0 0 29 2 *',
    '0 0 1 * 7',
    '5  4\t* * 5-7',
    '0 0 * * FRI-SUN',
    '@hourly',
    '@daily',
    '@midnight',
    '@weekly',
    '@monthly',
    '@yearly',
    '@annually',
    '@Daily',
  ]
  for (const text of good) {
    it(`may be '${text}'`, () => {
      assert.deepEqual(cronFaults(text), [])
      assert.notEqual(dueTimes(text, 'UTC').nextAfter(0), null)
    })
  }

  const bad: readonly (readonly [text: string, column: number, message: RegExp])[] = [
    ['0 6 * *', 1, /^Expected five fields .*, found 4$/],
    ['0 0 6 * * *', 1, /found 6$/],
    ['60 6 * * *', 1, /^Expected 0 to 59 as minute, found '60'$/],
    ['0 25 * * *', 3, /^Expected 0 to 23 as hour, found '25'$/],
    ['0 6 0 * *', 5, /^Expected 1 to 31 as day of month, found '0'$/],
    ['0 6 1 FOO *', 7, /^Expected 1 to 12, or JAN to DEC, as month, found 'FOO'$/],
    ['0 6 * * 8', 9, /^Expected 0 to 7, or SUN to SAT, as day of week, found '8'$/],
    ['0 6,24 * * *', 5, /found '24'$/],
    ['0 8-6 * * *', 3, /^Expected the lower hour first, found '8-6'$/],
    ['*/0 * * * *', 1, /^Expected a step from 1 to 59 after the slash, found '0'$/],
    ['5/10 * * * *', 1, /^Expected \* or a range before \/10, found '5'$/],
    ['1,,2 * * * *', 3, /^Expected 0, 0-59, \* or \*\/2 as minute, found ''$/],
    ['0 0 L * *', 5, /found 'L'$/],
    ['0 0 31 2 *', 5, /^Expected a day that some year has/],
    ['@dayly', 1, /did you mean @daily\?$/],
    ['@reboot', 1, /^Expected one of @hourly/],
  ]
  for (const [text, column, message] of bad) {
    it(`may not be '${text}'`, () => {
      const [fault, ...others] = cronFaults(text)
      assert.deepEqual(others, [])
      assert.equal(fault?.column, column)
      assert.match(fault?.message ?? '', message)
    })
  }

  it('is refused with one fault for each field', () => {
    assert.deepEqual(
      cronFaults('60 24 x * *').map(({ column }) => column),
      [1, 4, 7],
    )
  })

  it('crashes no check, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'0159*/,- @LAM#?') }), (text) => {
        if (cronFaults(text).length === 0) dueTimes(text, 'UTC').nextAfter(0)
      }),
    )
  })
})

it('a range of days may end with SUN', () => {
  const { nextAfter } = dueTimes('0 0 * * sat-SUN', 'UTC')
  const saturday = nextAfter(Date.UTC(2026, 10, 23)) ?? 0
  const sunday = nextAfter(saturday) ?? 0
  assert.deepEqual(
    [saturday, sunday, nextAfter(sunday)].map((time) => new Date(time ?? 0).toISOString().slice(0, 10)),
    ['2026-11-28', '2026-11-29', '2026-12-05'],
  )
})

describe('a time zone', () => {
  it('is a name that the clocks know', () => {
    for (const name of ['UTC', 'Europe/Berlin', 'pacific/auckland']) assert.equal(isTimeZone(name), true)
    for (const name of ['Mars/Base', '', '+02:00', 'Europe/']) assert.equal(isTimeZone(name), false)
  })
})

describe('due times when the clock is put forward or back', () => {
  const berlin: readonly (readonly [what: string, cron: string, from: string, due: readonly string[]])[] = [
    ['a time that is skipped: after the gap', '30 2 * * *', '2026-03-28T12:00Z', ['29T01:00', '30T00:30']],
    ['times that are skipped: once', '15,45 2 * * *', '2026-03-28T12:00Z', ['29T01:00', '30T00:15']],
    ['a time that occurs twice: the first', '30 2 * * *', '2026-10-24T12:00Z', ['25T00:30', '26T01:30']],
    ['every hour: in both passes', '0 * * * *', '2026-10-24T23:30Z', ['25T00:00', '25T01:00', '25T02:00']],
    ['every hour: not in the gap', '30 * * * *', '2026-03-29T00:00Z', ['29T00:30', '29T01:30']],
    ['an interval at the skipped hour', '*/30 2 * * *', '2026-03-28T12:00Z', ['30T00:00', '30T00:30']],
  ]
  for (const [what, cron, from, due] of berlin) {
    it(what, () => {
      const times = dueTimes(cron, 'Europe/Berlin')
      let at = Date.parse(from)
      for (const expected of due) {
        at = times.nextAfter(at) ?? assert.fail('never due')
        assert.equal(new Date(at).toISOString().slice(8, 16), expected)
      }
    })
  }
})

/** Moments around which the clocks of each zone change, and one at which nothing happens. */
const changes = [
  ['Europe/Berlin', '2026-03-29T01:00Z'],
  ['Europe/Berlin', '2026-10-25T01:00Z'],
  ['America/New_York', '2026-03-08T07:00Z'],
  ['America/New_York', '2026-11-01T06:00Z'],
  ['Australia/Lord_Howe', '2026-04-04T15:00Z'],
  ['Australia/Lord_Howe', '2026-10-03T15:30Z'],
  ['Africa/Cairo', '2026-04-23T22:00Z'],
  ['Africa/Cairo', '2026-10-29T21:00Z'],
  ['America/Santiago', '2026-09-06T04:00Z'],
  ['Pacific/Auckland', '2026-09-26T14:00Z'],
  ['Asia/Kolkata', '2026-03-03T00:00Z'],
  ['UTC', '2026-12-31T23:00Z'],
] as const

const within = (from: number, to: number) =>
  fc.oneof(
    fc.constant('*'),
    fc.integer({ min: 1, max: Math.min(20, to) }).map((step) => `*/${step}`),
    fc.uniqueArray(fc.integer({ min: from, max: to }), { minLength: 1, maxLength: 3 }).map(String),
    fc
      .tuple(fc.integer({ min: from, max: to }), fc.integer({ min: from, max: to }))
      .map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`),
  )

const arbitraryCron = fc
  .tuple(
    within(0, 59),
    fc.oneof(within(0, 23), fc.integer({ min: 0, max: 4 }).map(String)),
    fc.oneof({ weight: 3, arbitrary: fc.constant('*') }, within(1, 31)),
    fc.constant('*'),
    fc.oneof({ weight: 3, arbitrary: fc.constant('*') }, within(0, 6)),
  )
  .map((fields) => fields.join(' '))

const HOUR_MS = 60 * MINUTE_MS
const WINDOW_MS = 30 * HOUR_MS

describe('the next due time', () => {
  it('is the first minute that matches, in every zone, as a walk over all minutes finds it', () => {
    fc.assert(
      fc.property(
        arbitraryCron,
        fc.constantFrom(...changes),
        fc.integer({ min: -4 * 3600, max: 4 * 3600 }),
        (cron, [timeZone, change], seconds) => {
          const from = Date.parse(change) + seconds * 1000
          const found = dueTimes(cron, timeZone).nextAfter(from)
          const walked = minuteWalker(cron, timeZone)(from, from + WINDOW_MS)[0]
          if (walked === undefined) assert.ok(found === null || found > from + WINDOW_MS)
          else assert.equal(found, walked)
        },
      ),
      { seed: campaignSeed, numRuns: repeated(40, 1000) },
    )
  })

  it('comes after the due times that were before it: none is left out, none comes twice', () => {
    fc.assert(
      fc.property(arbitraryCron, fc.constantFrom(...changes), (cron, [timeZone, change]) => {
        const [from, to] = [Date.parse(change) - 3 * HOUR_MS, Date.parse(change) + 3 * HOUR_MS]
        const walked = minuteWalker(cron, timeZone)(from, to)
        const { between } = dueTimes(cron, timeZone)
        assert.deepEqual(between(from, to, 1000), walked)
        assert.deepEqual(between(from, to, 5), walked.slice(-5))
      }),
      { seed: campaignSeed, numRuns: repeated(40, 1000) },
    )
  })
})
