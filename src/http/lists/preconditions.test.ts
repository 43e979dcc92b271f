import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isStillGood, isUnmodifiedSince, parseHttpDate } from './preconditions.ts'

describe('If-None-Match', () => {
  const cases: readonly (readonly [header: string, isGood: boolean, why: string])[] = [
    ['"abc"', true, 'names the tag'],
    ['W/"abc"', true, 'names it weakened by a proxy'],
    ['"x", "abc"', true, 'lists it'],
    ['"x","y",W/"abc"', true, 'lists it without spaces'],
    [' * ', true, 'accepts any'],
    ['"a,b", "abc"', true, 'lists it after a tag with a comma'],
    ['"abcd"', false, 'names a longer tag'],
    ['"ABC"', false, 'names it in another case'],
    ['abc', false, 'forgets the quotes'],
    ['"*"', false, 'names a star as a tag'],
    ['', false, 'is empty'],
    ['"', false, 'is broken'],
  ]
  for (const [header, isGood, why] of cases) {
    it(`${isGood ? 'keeps' : 'renews'} the copy when it ${why}: ${header}`, () => {
      assert.equal(isStillGood(header, '"abc"'), isGood)
      assert.equal(isStillGood(header, 'W/"abc"'), isGood)
    })
  }
})

describe('If-Modified-Since', () => {
  const lastModified = new Date('2026-01-02T08:00:00.700Z')
  const currentSince = new Date('2026-01-02T09:00:00.500Z')
  const now = Date.parse('2026-03-03T08:59:59.700Z')
  const cases: readonly (readonly [header: string, isGood: boolean, why: string])[] = [
    ['Fri, 02 Jan 2026 08:00:00 GMT', true, 'is Last-Modified itself'],
    ['Friday, 02-Jan-26 08:00:00 GMT', true, 'is Last-Modified itself, in the form of RFC 850'],
    ['Fri Jan  2 08:00:00 2026', true, 'is Last-Modified itself, in the form of asctime'],
    ['Fri, 02 Jan 2026 09:00:01 GMT', true, 'is after the data became current'],
    ['Tue, 03 Mar 2026 08:59:59 GMT', true, 'is the present second'],
    ['Tue, 03 Mar 2026 09:00:01 GMT', false, 'is in the future'],
    ['Fri, 02 Jan 2026 07:59:59 GMT', false, 'is before Last-Modified'],
    ['Fri, 02 Jan 2026 08:30:00 GMT', false, 'is between extract and publication'],
    ['Fri, 02 Jan 2026 09:00:00 GMT', false, 'is the second in which the data became current'],
    ['2026-01-03', false, 'is no date of HTTP'],
    ['Sat, 03 Jan 2026 09:00:00 +0100', false, 'has another zone'],
    ['Mon, 30 Feb 2026 00:00:00 GMT', false, 'is no day of the calendar'],
    ['Sat, 03 Jan 2026 25:00:00 GMT', false, 'is no time of the day'],
    ['', false, 'is empty'],
  ]
  for (const [header, isGood, why] of cases) {
    it(`${isGood ? 'keeps' : 'renews'} the copy when it ${why}: ${header}`, () => {
      assert.equal(isUnmodifiedSince(header, { lastModified, currentSince }, now), isGood)
    })
  }

  it('renews the copy at any other date than Last-Modified while data of another snapshot replaces damaged data', () => {
    const times = { lastModified, currentSince: null }
    assert.equal(isUnmodifiedSince('Fri, 02 Jan 2026 10:00:00 GMT', times), false)
    assert.equal(isUnmodifiedSince(lastModified.toUTCString(), times), true)
  })

  it('reads a year of two digits as at most 50 years ahead', () => {
    const now = Date.parse('2026-06-01T00:00:00Z')
    const yearOf = (year: string) =>
      new Date(parseHttpDate(`Friday, 02-Jan-${year} 08:00:00 GMT`, now) ?? 0).getUTCFullYear()
    assert.deepEqual(['94', '26', '76', '77'].map(yearOf), [1994, 2026, 2076, 1977])
  })
})
