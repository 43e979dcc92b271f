import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isBasePath, withoutBasePath } from './base-path.ts'

describe('a base path', () => {
  for (const good of ['/travel', '/a/b', '/Travel-2_x~y.z', `/${'a'.repeat(199)}`])
    it(`may be ${good.slice(0, 30)}`, () => assert.equal(isBasePath(good), true))
  for (const bad of [
    ...[
      '',
      '/',
      'travel',
      '/travel/',
      '//travel',
      '/a//b',
      '//evil.example',
      '/..',
      '/a/../b',
      '/./a',
      '/.a',
    ],
    ...['/a b', '/a?b', '/a#b', '/a%2Fb', '/a\\b', '/a"b', "/a'b", '/a<b', '/a\r\nb', '/é', '/a;b', '/a:b'],
    ...['/a, /b', 'https://evil.example', `/${'a'.repeat(200)}`],
  ])
    it(`may not be ${JSON.stringify(bad.slice(0, 30))}`, () => assert.equal(isBasePath(bad), false))

  const rows: readonly (readonly [address: string, basePath: string, expected: string])[] = [
    ['/travel', '/travel', '/'],
    ['/travel/', '/travel', '/'],
    ['/travel?a=/travel', '/travel', '/?a=/travel'],
    ['/travel/api/v2/bookings?$page=2', '/travel', '/api/v2/bookings?$page=2'],
    ['/travel/travel/a', '/travel', '/travel/a'],
    ['/travel//a', '/travel', '//a'],
    ['/a/b/c', '/a/b', '/c'],
    // what a proxy has removed the path from already, and other names
    ['/api/v2/bookings', '/travel', '/api/v2/bookings'],
    ['/travels/a', '/travel', '/travels/a'],
    ['/Travel/a', '/travel', '/Travel/a'],
    ['/', '/travel', '/'],
    ['/a', '', '/a'],
  ]
  for (const [address, basePath, expected] of rows)
    it(`${basePath || 'none'} before ${address} leaves ${expected}`, () =>
      assert.equal(withoutBasePath(address, basePath), expected))
})
