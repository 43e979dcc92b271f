import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { changesOf, formOf, membersOf } from './account-form.ts'

const account = { name: 'Export', expiresAt: '2027-01-31T15:30:00.000Z', notes: null }

describe('the form of an account', () => {
  it('sends only what was changed', () => {
    const form = formOf(account)
    assert.deepEqual(changesOf(account, form), {})
    assert.deepEqual(changesOf(account, { ...form, name: ' Night ' }), { name: 'Night' })
    assert.deepEqual(changesOf(account, { ...form, expiry: '2027-02-01' }), { expiresAt: '2027-02-01' })
    assert.deepEqual(changesOf(account, { ...form, expiry: '', notes: 'x' }), { expiresAt: null, notes: 'x' })
  })

  it('sends null for what is empty', () => {
    assert.deepEqual(membersOf({ name: 'A', expiry: '', notes: '  ' }), {
      name: 'A',
      expiresAt: null,
      notes: null,
    })
  })
})
