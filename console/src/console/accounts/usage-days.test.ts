import assert from 'node:assert/strict'
import { it } from 'node:test'
import { lastDays } from './usage-days.ts'

it('lastDays fills the days without requests', () => {
  const used = [{ day: '2026-02-28', requests: 5, bytes: 70 }]
  assert.deepEqual(lastDays(used, 3, Date.parse('2026-03-01T23:59:59Z')), [
    { day: '2026-02-27', requests: 0, bytes: 0 },
    { day: '2026-02-28', requests: 5, bytes: 70 },
    { day: '2026-03-01', requests: 0, bytes: 0 },
  ])
})
