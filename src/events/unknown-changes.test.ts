import assert from 'node:assert/strict'
import { it } from 'node:test'
import { unknownChanges } from './unknown-changes.ts'

it('concern every client of the snapshot and of the accounts, once', () => {
  const client = (clientNumber: string) => ({ clientNumber })
  const changes = unknownChanges([client('C1'), client('C2')], [client('C3'), client('C2'), client('C3')])
  assert.deepEqual(
    changes.map(({ clientNumber }) => clientNumber),
    ['C1', 'C2', 'C3'],
  )
  for (const { lists } of changes) {
    assert.deepEqual(lists, { bookings: null, itineraries: null, invoices: null })
  }
})
