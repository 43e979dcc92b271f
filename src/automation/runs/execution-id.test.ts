import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newExecutionId } from './execution-id.ts'

describe('the id of a run', () => {
  it('is a unique UUID of version 7', () => {
    const now = Date.parse('2026-01-02T03:04:05.678Z')
    const ids = Array.from({ length: 2000 }, () => newExecutionId(now))
    for (const id of ids) assert.match(id, /^019b7ca9-8f2e-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    assert.equal(new Set(ids).size, ids.length)
  })

  it('sorts by time', () => {
    const ids = [0, 1, 255, 256, 1_700_000_000_000, 1_700_000_000_001].map(newExecutionId)
    assert.deepEqual([...ids].sort(), ids)
  })
})
