import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { changesOf, formOf, membersOf } from './webhook-form.ts'

const webhook = { url: 'https://hooks.example.com/a', description: null, lists: null }

describe('the form of a webhook', () => {
  it('sends null for what is empty', () => {
    assert.deepEqual(
      membersOf({ url: ' https://hooks.example.com/a ', description: ' ', lists: [] }),
      webhook,
    )
  })

  it('sends only what was changed', () => {
    const form = formOf(webhook)
    assert.deepEqual(changesOf(webhook, form), {})
    assert.deepEqual(changesOf(webhook, { ...form, description: 'Warehouse' }), { description: 'Warehouse' })
    assert.deepEqual(changesOf({ ...webhook, lists: ['invoices', 'bookings'] }, form), { lists: null })
  })

  it('takes the same lists in another order for no change', () => {
    const form = { ...formOf(webhook), lists: ['bookings', 'invoices'] }
    assert.deepEqual(changesOf({ ...webhook, lists: ['invoices', 'bookings'] }, form), {})
  })
})
