import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { closest } from './closest.ts'

const fields = [
  'recordLocator',
  'bookingDate',
  'modifiedAt',
  'isTicketed',
  'isInternational',
  'tripStartLocal',
]

describe('closest', () => {
  const rows: readonly (readonly [name: string, nearest: string | undefined])[] = [
    ['recordLocator', 'recordLocator'],
    ['RECORDLOCATOR', 'recordLocator'],
    ['recordLocater', 'recordLocator'],
    ['record_locator', 'recordLocator'],
    ['reccordLocatr', 'recordLocator'],
    ['bookingDat', 'bookingDate'],
    ['bokingDaet', 'bookingDate'],
    ['isTickted', 'isTicketed'],
    ['modified', 'modifiedAt'],
    // In names of nine letters and more, three letters may differ, not four.
    ['bookingXYZe', 'bookingDate'],
    ['bookingXYZW', undefined],
    // In shorter names a third of the letters may differ: two of eight.
    ['modifi', undefined],
    ['customer', undefined],
    ['isTicketde', 'isTicketed'],
    ['', undefined],
  ]
  for (const [name, nearest] of rows) {
    it(nearest === undefined ? `suggests nothing for '${name}'` : `suggests ${nearest} for '${name}'`, () => {
      assert.equal(closest(name, fields), nearest)
    })
  }

  it('suggests a short name of which two neighbouring letters changed places', () => {
    assert.equal(closest('prot', ['host', 'port']), 'port')
    assert.equal(closest('tpor', ['host', 'port']), undefined)
  })

  it('suggests the nearer of two', () => {
    assert.equal(closest('statuss', ['state', 'status']), 'status')
    assert.equal(closest('statee', ['state', 'status']), 'state')
  })

  it('suggests the first of two that are equally near', () => {
    assert.equal(closest('bar', ['baz', 'bat']), 'baz')
  })

  it('allows one slip in very short names', () => {
    assert.equal(closest('o', ['or', 'and']), 'or')
    assert.equal(closest('xx', ['or', 'and']), undefined)
  })

  it('suggests nothing when nothing is known', () => {
    assert.equal(closest('bookingDate', []), undefined)
  })
})
