import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { findQuery } from './find-query.ts'

describe('findQuery', () => {
  const rows: readonly (readonly [
    pasted: string,
    query: string,
    list?: string | undefined,
    ...ignored: string[],
  ])[] = [
    // the value alone
    ['', ''],
    ['A^EQx;B^EQ1', 'A^EQx;B^EQ1'],
    ['A%5EEQx', 'A%5EEQx'],
    ['A^EQb=c', 'A^EQb=c'],
    ['A^EQquery=c', 'A^EQquery=c'],
    ['A^EQ1/2?', 'A^EQ1/2?'],
    ['A^EQ#5', 'A^EQ#5'],
    ['fetch', 'fetch'],
    // the query part of an address
    ['query=', ''],
    ['query=A^EQx', 'A^EQx'],
    ['?QUERY=A^EQx=y', 'A^EQx=y'],
    ['?', ''],
    ['query=A^EQx&offset=10', 'A^EQx'],
    ['?fetch=5&&Query=A%5EEQx%26y+z&', 'A%5EEQx%26y+z'],
    ['fetch=5&offset=10&query=A^EQx', 'A^EQx'],
    ['?%71uery=A^EQx', 'A^EQx'],
    ['?fetch=5', ''],
    ['query=A^EQx&y&Fetsh=5', 'A^EQx', undefined, 'y', 'Fetsh'],
    ['?A^EQx', '', undefined, 'A^EQx'],
    // a whole address
    ['http://127.0.0.1:8080/api/v1/invoices?query=A^EQx', 'A^EQx', 'invoices'],
    ['HTTPS://host/prefix/API/V1/Bookings/?fetch=5&query=A^EQx#there', 'A^EQx', 'bookings'],
    ['/api/v1/itineraries?query=A^EQx?y', 'A^EQx?y', 'itineraries'],
    ['/api/v1/invoices', '', 'invoices'],
    ['https://host/api/v1/trips?query=A^EQx', 'A^EQx'],
    ['https://host?query=A^EQx', 'A^EQx'],
    ['https://host/api/v1/invoices?fetch=5', '', 'invoices'],
  ]
  for (const [pasted, query, list, ...ignored] of rows) {
    it(`finds ${JSON.stringify(query)}${list === undefined ? '' : ` of ${list}`} in ${JSON.stringify(pasted)}`, () => {
      assert.deepEqual(findQuery(pasted), { query, list, ignored })
    })
  }

  for (const pasted of ['A^EQR&D', 'A^EQx&query=B^EQ1', '&', 'fetch=5&offset=10', 'A%5EEQR&D']) {
    it(`refuses the raw & of ${pasted}`, () => assert.throws(() => findQuery(pasted), { code: 'QRY423' }))
  }

  for (const pasted of ['query=&query=', '/api/v1/bookings?query=A^EQx&Query=B^EQ1']) {
    it(`refuses ${pasted}, which has query twice`, () =>
      assert.throws(() => findQuery(pasted), { code: 'QRY409' }))
  }
})
