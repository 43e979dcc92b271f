import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { RequestMinute } from '../../directory/request-minutes.ts'
import { createRequestMetrics } from '../../observe/metrics.ts'
import { requestsIn } from '../../observe/request-counts.ts'
import { createMinuteRecorder } from './request-minutes.ts'

const START = Date.parse('2026-11-23T12:00:00.000Z')

/** A recorder whose store keeps the rows by minute, or fails, and whose clock is set by the test. */
function started() {
  const metrics = createRequestMetrics()
  const rows = new Map<string, number>()
  let now = START
  let isAway = false
  const recorder = createMinuteRecorder({
    metricValues: async () => [await metrics.values()],
    now: () => now,
    requestMinutes: {
      record: async (_process, minutes: readonly RequestMinute[]) => {
        if (isAway) throw new Error('The store is away')
        for (const { minute, counts } of minutes)
          rows.set(minute.slice(11, 16), requestsIn(counts.v2 ?? assert.fail()))
      },
    },
  })
  return {
    rows,
    take: recorder.take,
    at: (seconds: number) => {
      now = START + 1000 * seconds
    },
    away: (away: boolean) => {
      isAway = away
    },
    answer: (count: number) => {
      for (let i = 0; i < count; i++)
        metrics.record({
          kind: 'request-answered',
          requestId: 'r',
          method: 'GET',
          route: '/api/v2/bookings',
          status: 200,
          milliseconds: 1,
          bytes: 0,
          aborted: false,
          accountId: undefined,
          clientNumber: undefined,
          address: undefined,
          problem: undefined,
        })
    },
  }
}

describe('the minutes of a process', () => {
  it('have what was answered in each, and none without a request', async () => {
    const { rows, take, at, answer } = started()
    answer(3)
    at(60)
    await take()
    at(120)
    await take()
    answer(2)
    at(180)
    await take()
    assert.deepEqual(
      [...rows],
      [
        ['12:00', 3],
        ['12:02', 2],
      ],
    )
  })

  it('are whole although a timer fires early', async () => {
    const { rows, take, at, answer } = started()
    answer(3)
    at(59.9)
    await take()
    answer(1)
    at(60)
    await take()
    assert.deepEqual([...rows], [['12:00', 4]])
  })

  it('wait while the store is away, at most those of an hour', async () => {
    const { rows, take, at, away, answer } = started()
    away(true)
    for (let i = 1; i <= 70; i++) {
      answer(i)
      at(60 * i)
      await assert.rejects(take(), /away/)
    }
    away(false)
    at(60 * 71)
    await take()
    assert.equal(rows.size, 60)
    assert.deepEqual([rows.get('12:09'), rows.get('12:10'), rows.get('13:09')], [undefined, 11, 70])
  })
})
