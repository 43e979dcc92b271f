import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { differences } from './differences.ts'

describe('differences', () => {
  it('names the members that changed, came and went, each with both values', () => {
    const before = { name: 'Old', locked: false, notes: null, labels: ['a'], gone: 'x' }
    const after = { name: 'New', locked: true, notes: null, labels: ['a'], come: 7 }
    assert.deepEqual(differences(before, after), [
      { member: 'name', before: 'Old', after: 'New' },
      { member: 'locked', before: 'false', after: 'true' },
      { member: 'gone', before: 'x', after: '–' },
      { member: 'come', before: '–', after: '7' },
    ])
  })

  it('leaves out members that change by themselves', () => {
    assert.deepEqual(differences({ lastUsedAt: 'a', n: 1 }, { lastUsedAt: 'b', n: 1 }, ['lastUsedAt']), [])
  })
})
