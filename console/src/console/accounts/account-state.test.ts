import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { accountState } from './account-state.ts'

const now = Date.parse('2026-11-23T00:00:00Z')
const usable = { active: true, locked: false, expiresAt: null }

describe('accountState', () => {
  for (const [state, account] of [
    ['active', usable],
    ['active', { ...usable, expiresAt: '2026-12-24T00:00:00Z' }],
    ['expires-soon', { ...usable, expiresAt: '2026-12-22T00:00:00Z' }],
    ['expired', { ...usable, expiresAt: '2026-11-23T00:00:00Z' }],
    ['locked', { ...usable, locked: true, expiresAt: '2020-01-01T00:00:00Z' }],
    ['off', { active: false, locked: true, expiresAt: '2020-01-01T00:00:00Z' }],
  ] as const) {
    it(`is ${state} for ${JSON.stringify(account)}`, () => assert.equal(accountState(account, now), state))
  }
})
