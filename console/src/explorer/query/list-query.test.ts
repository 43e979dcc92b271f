import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { listFields, listNames } from '../fields/list-fields.ts'
import { labelPath } from '../fields/paths.ts'
import { defaultsOf, type ListQuery, queryParameters, readQuery, writeQuery } from './list-query.ts'

/** Without members that are undefined. */
const plain = (value: object): unknown => JSON.parse(JSON.stringify(value))

const anyQuery: fc.Arbitrary<ListQuery> = fc.constantFrom(...listNames).chain((list) => {
  const names = listFields[list].fields.map(({ name }) => name)
  const path = fc.oneof(fc.constantFrom(...names), fc.string({ minLength: 1 }).map(labelPath))
  return fc.uniqueArray(path, { minLength: 1, maxLength: 8 }).chain((columns) =>
    fc.record({
      list: fc.constant(list),
      filter: fc.string().map((text) => text.trim()),
      sort: fc.array(fc.record({ path, isDescending: fc.boolean() }), { minLength: 1, maxLength: 3 }),
      columns: fc.constant(columns),
      pinnedCount: fc.integer({ min: 0, max: columns.length }),
      widths: fc.dictionary(fc.constantFrom(...columns), fc.integer({ min: 48, max: 1200 }), {
        noNullPrototype: true,
      }),
    }),
  )
})

describe('writeQuery', () => {
  it('writes what readQuery reads back', () => {
    fc.assert(
      fc.property(anyQuery, (query) => {
        const address = writeQuery(query)
        const parameters = Object.fromEntries(
          new URLSearchParams(
            Object.entries(address).filter(([, text]) => text !== undefined) as [string, string][],
          ),
        )
        assert.deepEqual(plain(readQuery(query.list, parameters)), plain(query))
      }),
    )
  })

  it('leaves out what is as usual', () => {
    for (const list of listNames) assert.deepEqual(plain(writeQuery(readQuery(list, {}))), {})
  })
})

describe('readQuery', () => {
  it('leaves out columns that the list does not have, and takes the usual ones when none is left', () => {
    const { columns } = readQuery('bookings', {
      columns: "nope,traveller,segments,customDataFields['A, ''b''']",
    })
    assert.deepEqual(columns, ['traveller', "customDataFields['A, ''b''']"])
    assert.equal(readQuery('bookings', { columns: 'nope' }).columns, defaultsOf.bookings.columns)
  })

  it('keeps pinned columns and widths within their limits', () => {
    const read = readQuery('bookings', { columns: 'traveller,recordLocator', pinned: '9', widths: '1.99999' })
    assert.equal(read.pinnedCount, 2)
    assert.deepEqual(read.widths, { traveller: 48, recordLocator: 1200 })
    assert.equal(readQuery('bookings', { pinned: 'x' }).pinnedCount, 0)
  })
})

describe('queryParameters', () => {
  it('gives the parameters of the API', () => {
    const query = readQuery('bookings', {
      filter: 'isTicketed eq true',
      orderby: 'department, tripStartLocal DESC',
      columns: 'recordLocator,traveller',
    })
    assert.deepEqual(queryParameters(query), {
      $filter: 'isTicketed eq true',
      $orderby: 'department,tripStartLocal desc',
      $select: 'recordLocator,traveller',
    })
  })
})
