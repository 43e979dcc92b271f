import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { momentTooOld } from '../../../../src/read/changes/problems.ts'
import { beginningOf, dayBefore, oldestIn } from './since-moment.ts'

describe('what changed since a day', () => {
  it('begins at midnight of the viewer', () => {
    const now = new Date(2026, 2, 1, 23, 59)
    assert.deepEqual(
      [0, 1, 7].map((days) => dayBefore(days, now)),
      ['2026-03-01', '2026-02-28', '2026-02-22'],
    )
    assert.equal(beginningOf('2026-02-28'), new Date(2026, 1, 28).toISOString())
    assert.equal(beginningOf(''), null)
    assert.equal(beginningOf('2026-13-01'), null)
  })

  it('that is too old is refused with the oldest moment that can be asked', () => {
    const textOf = (oldest: number | null) => {
      const { message, hint } = momentTooOld('bookings', Date.UTC(2026, 0, 1), oldest)
      return `${message}. ${hint}`
    }
    assert.equal(oldestIn(textOf(Date.UTC(2026, 10, 20, 8, 0, 0, 7))), '2026-11-20T08:00:00.007Z')
    assert.equal(oldestIn(textOf(Date.UTC(2026, 10, 20))), '2026-11-20T00:00:00Z')
    assert.equal(oldestIn(textOf(null)), undefined)
  })
})
