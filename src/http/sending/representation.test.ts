import assert from 'node:assert/strict'
import type { IncomingHttpHeaders } from 'node:http'
import { describe, it } from 'node:test'
import { Problem } from '../../kernel/problem.ts'
import { standInAnswer } from '../testing/server.ts'
import { goodCopy, representationOf } from './representation.ts'

const answer = standInAnswer(
  {
    version: 2,
    list: 'bookings',
    principal: { accountId: 'a', accountName: 'a', clientNumber: 'C1' },
    query: '',
    parameters: () => [],
  },
  1,
  { chunks: 0, bytes: 0, ended: false },
)

describe('a representation', () => {
  const tags: readonly (readonly [accept: string | undefined, coding: string | undefined, etag: string])[] = [
    [undefined, undefined, '"2-bookings"'],
    ['*/*', 'identity', '"2-bookings"'],
    [undefined, 'gzip', '"2-bookings-gzip"'],
    ['text/csv', undefined, '"2-bookings-csv"'],
    ['text/csv', 'zstd', '"2-bookings-csv-zstd"'],
    ['application/x-ndjson', 'zstd, gzip;q=0.1', '"2-bookings-ndjson-zstd"'],
    ['application/vnd.apache.arrow.stream', 'gzip', '"2-bookings-arrow-gzip"'],
  ]
  for (const [accept, coding, etag] of tags) {
    it(`has the tag ${etag} for ${accept} in ${coding}`, () => {
      assert.equal(representationOf({ accept, 'accept-encoding': coding }, answer).etag, etag)
    })
  }

  it('has the format of the query, whatever Accept says', () => {
    assert.equal(representationOf({ accept: 'text/csv' }, { ...answer, format: 'arrow' }).format, 'arrow')
    assert.equal(representationOf({ accept: 'text/html' }, { ...answer, format: 'json' }).format, 'json')
  })

  it('is refused with a list of the formats when none is acceptable', () => {
    assert.throws(
      () => representationOf({ accept: 'application/json;q=0' }, answer),
      (problem: unknown) =>
        problem instanceof Problem &&
        problem.code === 'SRV115' &&
        ['application/json', 'application/x-ndjson', 'text/csv', 'application/vnd.apache.arrow.stream'].every(
          (type) => problem.message.includes(type),
        ),
    )
  })
})

describe('a copy', () => {
  const csv = { accept: 'text/csv' }
  const cases: readonly (readonly [
    headers: IncomingHttpHeaders,
    ifNoneMatch: string | undefined,
    good: string | null,
  ])[] = [
    [{}, undefined, null],
    [{}, '"2-bookings"', '"2-bookings"'],
    [{}, '"2-bookings-gzip"', null],
    [csv, '"2-bookings"', null],
    [csv, '"2-bookings-csv"', '"2-bookings-csv"'],
    [{ 'accept-encoding': 'gzip' }, '"2-bookings-gzip"', '"2-bookings-gzip"'],
    [{ 'accept-encoding': 'gzip' }, '"2-bookings-zstd"', null],
    [{ 'accept-encoding': 'gzip' }, '"2-bookings"', '"2-bookings"'],
    [{ 'accept-encoding': 'gzip, identity;q=0' }, '"2-bookings"', null],
    [{ 'accept-encoding': 'gzip' }, '*', '"2-bookings-gzip"'],
  ]
  for (const [headers, ifNoneMatch, good] of cases) {
    it(`${ifNoneMatch} is ${good === null ? 'not good' : 'good'} for ${JSON.stringify(headers)}`, () => {
      const conditions = { 'if-none-match': ifNoneMatch }
      assert.equal(goodCopy(conditions, representationOf(headers, answer), answer), good)
    })
  }

  it('is judged by its date only without If-None-Match', () => {
    const chosen = representationOf({}, answer)
    const conditions = { 'if-modified-since': answer.lastModified.toUTCString() }
    assert.equal(goodCopy(conditions, chosen, answer), '"2-bookings"')
    assert.equal(goodCopy({ ...conditions, 'if-none-match': '"other"' }, chosen, answer), null)
    const earlier = { 'if-modified-since': new Date(0).toUTCString() }
    assert.equal(goodCopy({ ...earlier, 'if-none-match': '"2-bookings"' }, chosen, answer), '"2-bookings"')
    assert.equal(goodCopy(earlier, chosen, answer), null)
  })
})
