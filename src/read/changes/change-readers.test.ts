import assert from 'node:assert/strict'
import { it } from 'node:test'
import { changeReadersMemory, openChangeReaders } from './change-readers.ts'

it('knows in each thread which lists of changes were asked for in any of them', () => {
  const memory = changeReadersMemory()
  const [one, other] = [openChangeReaders(memory), openChangeReaders(memory)]
  one.note('C100', 'bookings')
  other.note('C200', 'invoices')
  for (const readers of [one, other]) {
    assert.equal(readers.has('C100', 'bookings'), true)
    assert.equal(readers.has('C200', 'invoices'), true)
    assert.equal(readers.has('C100', 'itineraries'), false)
    assert.equal(readers.has('C300', 'bookings'), false)
  }
})
