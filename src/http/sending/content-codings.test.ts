import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { acceptedCoding } from './content-codings.ts'

describe('Accept-Encoding', () => {
  const cases: readonly (readonly [header: string | undefined, coding: string | null, orPlain: boolean])[] = [
    // uncompressed
    [undefined, null, true],
    ['', null, true],
    ['identity', null, true],
    ['br, deflate', null, true],
    ['gzip;q=0', null, true],
    ['*;q=0', null, true],
    ['identity, gzip;q=0.5', null, true],
    ['*;q=0.5, identity;q=0.6', null, true],
    // compressed
    ['gzip', 'gzip', true],
    ['x-gzip', 'gzip', true],
    ['GZIP', 'gzip', true],
    ['gzip, deflate, br', 'gzip', true],
    ['gzip, deflate, br, zstd', 'zstd', true],
    ['zstd', 'zstd', true],
    ['gzip, zstd;q=0.9', 'gzip', true],
    ['gzip;q=0.5, identity;q=0.5', 'gzip', true],
    ['*', 'zstd', true],
    ['zstd;q=0, *', 'gzip', true],
    ['gzip;q=0.001', 'gzip', true],
    // uncompressed is refused
    ['gzip, identity;q=0', 'gzip', false],
    ['gzip, *;q=0', 'gzip', false],
    ['gzip, *;q=0, identity;q=0.1', 'gzip', true],
    // nothing acceptable: uncompressed nevertheless
    ['identity;q=0', null, true],
    ['br, *;q=0', null, true],
    // malformed
    ['gzip;q=x', null, true],
    ['gzip zstd', null, true],
  ]
  for (const [header, coding, orPlain] of cases) {
    it(`${header ?? 'left out'} is answered ${coding === null ? 'uncompressed' : `in ${coding}`}`, () => {
      assert.deepEqual(acceptedCoding(header), { coding, orPlain })
    })
  }
})
