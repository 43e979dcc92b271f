import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { campaignSeed, repeated } from '../../../test/campaign.ts'
import type { Schedule } from '../../schema/endpoint-shapes.ts'
import { CLOCK_STEP_MS, type Decision, decide, LATE_MS, MOST_MISSED, nextRunAt } from './due-run.ts'

const at = (time: string) => Date.parse(`2026-03-02T${time}Z`)
const state = (members: Partial<Schedule> = {}, handled = '00:00:00') => ({
  schedule: {
    ...{ name: 'hourly', cron: '0 * * * *', timeZone: 'UTC', input: null, overlap: false },
    missedRuns: 'once',
    ...members,
  } satisfies Schedule,
  isOn: true,
  pausedAt: null,
  handledUntil: `2026-03-02T${handled}.000Z`,
})
const run = (time: string): Decision => ({ kind: 'run', dueAt: at(time) })
const wait: Decision = { kind: 'wait' }

describe('what is done about the due times of a schedule', () => {
  const rows: readonly (readonly [
    what: string,
    policy: Schedule['missedRuns'],
    overlap: boolean,
    hasOpenRun: boolean,
    now: string,
    decision: Decision,
  ])[] = [
    ['nothing before the time', 'once', false, false, '00:59:59', wait],
    ['a run at the time', 'once', false, false, '01:00:00', run('01:00')],
    ['a run that is late', 'skip', false, false, '01:00:59', run('01:00')],
    ['nothing of what was missed', 'skip', false, false, '03:10:00', { kind: 'skip', until: at('03:00') }],
    ['the last of those that were missed, if late', 'skip', false, false, '03:00:30', run('03:00')],
    ['one run for all that were missed', 'once', false, false, '03:10:00', run('03:00')],
    ['the first of those that were missed', 'all', false, false, '03:10:00', run('01:00')],
    ['nothing during another run', 'once', false, true, '01:00:00', wait],
    ['nothing during another run, nor dropped', 'skip', false, true, '03:10:00', wait],
    ['a run during another where they may overlap', 'once', true, true, '01:00:00', run('01:00')],
    ['missed ones one by one, even then', 'all', true, true, '03:10:00', wait],
    ['a run at its time, even then', 'all', true, true, '01:00:10', run('01:00')],
  ]
  for (const [what, missedRuns, overlap, hasOpenRun, now, decision] of rows) {
    it(`is ${what} (${missedRuns})`, () => {
      assert.deepEqual(decide(state({ missedRuns, overlap }), hasOpenRun, at(now)), decision)
    })
  }

  it('is nothing while it is paused or inactive', () => {
    const paused = { ...state(), pausedAt: '2026-03-02T00:00:00.000Z' }
    const inactive = { ...state(), isOn: false }
    for (const off of [paused, inactive]) {
      assert.deepEqual(decide(off, false, at('05:00')), wait)
      assert.equal(nextRunAt(off, at('05:00')), null)
    }
  })

  it('is nothing twice after a clock that was put back, and a new beginning after one that was far ahead', () => {
    const handled = state({}, '05:00:00')
    assert.deepEqual(decide(handled, false, at('04:00:30')), wait)
    assert.equal(nextRunAt(handled, at('04:30')), '2026-03-02T06:00:00.000Z')
    const now = at('05:00') - CLOCK_STEP_MS - 1
    assert.deepEqual(decide(handled, false, now), { kind: 'skip', until: now })
    assert.equal(nextRunAt(handled, now), '2026-03-02T04:00:00.000Z')
  })

  it('makes up for so many missed runs at most, the newest', () => {
    const minutely = { ...state({ cron: '* * * * *', missedRuns: 'all' }) }
    assert.deepEqual(decide(minutely, false, at('23:00')), {
      kind: 'run',
      dueAt: at('23:00') - (MOST_MISSED - 1) * 60_000,
    })
  })

  it('is every due time once and in order with `all`, whenever somebody looks', () => {
    const looks = fc.array(fc.integer({ min: 1, max: 5400 }), { minLength: 5, maxLength: 20 })
    fc.assert(
      fc.property(looks, (pauses) => {
        let now = at('00:00')
        let current = state({ cron: '*/15 * * * *', missedRuns: 'all' })
        const ran: number[] = []
        for (const seconds of pauses) {
          now += seconds * 1000
          for (;;) {
            const decision = decide(current, false, now)
            if (decision.kind === 'wait') break
            assert.ok(decision.kind === 'run')
            ran.push(decision.dueAt)
            current = { ...current, handledUntil: new Date(decision.dueAt).toISOString() }
          }
        }
        const quarter = 15 * LATE_MS
        const due = Math.floor((now - at('00:00')) / quarter)
        assert.deepEqual(
          ran,
          Array.from({ length: due }, (_, i) => at('00:00') + (i + 1) * quarter),
        )
      }),
      { seed: campaignSeed, numRuns: repeated(30, 500) },
    )
  })
})
